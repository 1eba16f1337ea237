import { randomBytes } from "node:crypto";
import type { Orm } from "@/db/client";
import { insertToken, type TokenPurpose, voidTokens } from "@/db/queries/user-tokens";
import { idTime, newId } from "@/lib/ids";
import { sha256 } from "@/lib/secret";
import { writeMail } from "./write-mail";

export type LinkPurpose = Exclude<TokenPurpose, "first_sign_in">;

/** How long a link of each purpose works. */
export const LINK_HOURS: Record<LinkPurpose, number> = { reset_password: 1, invite: 7 * 24, verify_email: 3 * 24 };
const PAGES: Record<LinkPurpose, string> = {
  reset_password: "reset-password",
  invite: "reset-password",
  verify_email: "verify-email",
};
/** Between the answer to a sign-up and the sign-in that the same page makes at once. */
const TICKET_MINUTES = 5;

type Link = {
  userId: string;
  /** Where it goes. */
  email: string;
  /** The address that using it proves, when it is not the person's yet. */
  proves?: string;
  purpose: LinkPurpose;
  subject: string;
  /** What stands before the link, and after it. */
  before: readonly string[];
  after: readonly string[];
};

/**
 * Mails a link that only whoever reads the mailbox has. Of its token only the digest is kept, beside the mail itself. The
 * person's earlier links for the same purpose stop working; an invitation ends its own.
 */
export async function sendLink(tx: Orm, service: { baseUrl: string }, link: Link): Promise<void> {
  const { purpose } = link;
  if (purpose !== "invite") await voidTokens(tx, link.userId, purpose);
  const token = await newToken(tx, {
    userId: link.userId,
    purpose,
    email: link.proves ?? null,
    livesMinutes: LINK_HOURS[purpose] * 60,
  });
  await writeMail(tx, {
    kind: purpose,
    recipient: link.email,
    subject: link.subject,
    paragraphs: [...link.before, `${service.baseUrl}/${PAGES[purpose]}/${token}`, ...link.after],
  });
}

/** What signs the browser in that has just opened an account, whose address is not proved and so signs nobody in. */
export const newTicket = (tx: Orm, userId: string): Promise<string> =>
  newToken(tx, { userId, purpose: "first_sign_in", email: null, livesMinutes: TICKET_MINUTES });

/** A token that nobody gets: what is shown and counted then does not tell that the address is somebody's. */
export const emptyLink = (tx: Orm, userId: string, email: string | null): Promise<string> =>
  newToken(tx, { userId, purpose: "verify_email", email, livesMinutes: LINK_HOURS.verify_email * 60 });

async function newToken(
  tx: Orm,
  of: { userId: string; purpose: TokenPurpose; email: string | null; livesMinutes: number },
): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  const id = newId();
  const { userId, ...rest } = of;
  await insertToken(tx, { id, user_id: userId, ...rest, token_sha256: sha256(token), created_at: idTime(id) });
  return token;
}
