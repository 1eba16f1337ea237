import { randomBytes } from "node:crypto";
import type { Orm } from "@/db/client";
import { insertMail, listMail, type MailKind, type MailRow } from "@/db/queries/accounts/mail-outbox";
import {
  findTokenHolder,
  insertToken,
  type TokenHolder,
  type TokenPurpose,
  voidTokens,
} from "@/db/queries/accounts/tokens";
import type { UserRow } from "@/db/schema/accounts";
import { idTime, newId } from "@/lib/ids";
import { sha256 } from "@/lib/secret";
import type { Service } from "../context";

type LinkPurpose = Exclude<TokenPurpose, "first_sign_in">;

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
  /** The address that using it proves, when it is not the user's yet. */
  proves?: string;
  purpose: LinkPurpose;
  subject: string;
  /** What stands before the link, and after it. */
  before: readonly string[];
  after: readonly string[];
};

/**
 * Mails a link that only the mailbox's owner gets. Of its token only the digest is stored, with the mail itself. The user's
 * earlier links for the same purpose stop working; an invitation ends only its own.
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

/** Signs in the browser that has just opened an account, whose address is not proved and so signs no user in. */
export const newTicket = (tx: Orm, userId: string): Promise<string> =>
  newToken(tx, { userId, purpose: "first_sign_in", email: null, livesMinutes: TICKET_MINUTES });

/** A token that is never sent, so that timing and limits do not reveal whether the address has an owner. */
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

/** The user of a mailed link; null when it is unknown, used or expired. Does not use it up: mail scanners open links. */
export function findLink(service: Pick<Service, "db">, token: string): Promise<TokenHolder | null> {
  return findTokenHolder(service.db.orm, sha256(token));
}

type Mail = {
  kind?: MailKind;
  recipient: string;
  subject: string;
  paragraphs: readonly string[];
  /** Whose mail it is, where it is not Cardlane's own. */
  senderName?: string | null;
  replyTo?: string | null;
};

/**
 * Writes a mail in the transaction that made it necessary; a job sends it. A paragraph that is a link stands alone. No text
 * that a user chose belongs in it, but the name of the merchant in a receipt: a stranger could have us send it to anyone.
 */
export async function writeMail(tx: Orm, mail: Mail): Promise<void> {
  const { kind = "notice", recipient, subject, paragraphs, senderName = null, replyTo = null } = mail;
  const id = newId();
  const body = `${[...paragraphs, "Cardlane"].join("\n\n")}\n`;
  await insertMail(tx, {
    ...{ id, kind, recipient, subject, body, created_at: idTime(id) },
    ...{ sender_name: senderName, reply_to: replyTo },
  });
}

/**
 * Notifies a user of a change to their sign-in, only once they have verified the address: until then it may be a stranger's
 * mailbox, which an account that anyone can open must not fill.
 */
export async function notify(tx: Orm, user: UserRow, mail: Pick<Mail, "subject" | "paragraphs">): Promise<void> {
  if (user.owns_email) await writeMail(tx, { recipient: user.email, ...mail });
}

/** The latest mail of all users. Only for the page that stands in for a mail server on one's own machine. */
export function listOutbox(service: Pick<Service, "db">): Promise<MailRow[]> {
  return listMail(service.db.orm, 100);
}
