import { randomBytes } from "node:crypto";
import type { Orm } from "@/db/client";
import { insertToken, type TokenPurpose } from "@/db/queries/user-tokens";
import { idTime, newId } from "@/lib/ids";
import { sha256 } from "@/lib/secret";
import { writeMail } from "./write-mail";

/** How long a link of each purpose works. */
export const LINK_HOURS: Record<TokenPurpose, number> = { reset_password: 1, invite: 7 * 24 };

type Link = {
  userId: string;
  email: string;
  purpose: TokenPurpose;
  subject: string;
  /** What stands before the link, and after it. */
  before: readonly string[];
  after: readonly string[];
};

/** Mails a link with which the person chooses a password. Of its token only the digest is kept, beside the mail itself. */
export async function sendLink(tx: Orm, service: { baseUrl: string }, link: Link): Promise<void> {
  const token = randomBytes(32).toString("base64url");
  const id = newId();
  await insertToken(tx, {
    id,
    user_id: link.userId,
    purpose: link.purpose,
    token_sha256: sha256(token),
    livesHours: LINK_HOURS[link.purpose],
    created_at: idTime(id),
  });
  const address = `${service.baseUrl}/reset-password/${token}`;
  await writeMail(tx, {
    recipient: link.email,
    subject: link.subject,
    paragraphs: [...link.before, address, ...link.after],
  });
}
