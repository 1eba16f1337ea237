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

/** Validity of a link, by purpose. */
export const LINK_HOURS: Record<LinkPurpose, number> = { reset_password: 1, invite: 7 * 24, verify_email: 3 * 24 };
const PAGES: Record<LinkPurpose, string> = {
  reset_password: "reset-password",
  invite: "invitation",
  verify_email: "verify-email",
};
/** Time for the sign-in that the page performs right after the sign-up's response. */
const TICKET_MINUTES = 5;

type Link = {
  userId: string;
  /** The recipient. */
  email: string;
  /** The address that the link verifies, if it is not the user's yet. */
  newEmail?: string;
  purpose: LinkPurpose;
  subject: string;
  /** Paragraphs before and after the link. */
  before: readonly string[];
  after: readonly string[];
};

/**
 * Mails a link to the owner of the mailbox. The token is stored only as a digest and in the mail itself. The
 * user's earlier links for the same purpose stop working; callers void invitations themselves.
 */
export async function sendLink(tx: Orm, service: { baseUrl: string }, link: Link): Promise<void> {
  const { purpose } = link;
  if (purpose !== "invite") await voidTokens(tx, link.userId, purpose);
  const token = await createToken(tx, {
    userId: link.userId,
    purpose,
    email: link.newEmail ?? null,
    livesMinutes: LINK_HOURS[purpose] * 60,
  });
  await writeMail(tx, {
    kind: purpose,
    recipient: link.email,
    subject: link.subject,
    paragraphs: [...link.before, `${service.baseUrl}/${PAGES[purpose]}/${token}`, ...link.after],
  });
}

/**
 * A ticket for the browser that has just opened an account: an unverified address cannot sign in by password.
 */
export const createTicket = (tx: Orm, userId: string): Promise<string> =>
  createToken(tx, { userId, purpose: "first_sign_in", email: null, livesMinutes: TICKET_MINUTES });

/** Stores a token that is never sent, so that timing and limits do not reveal if the address has an owner. */
export const storeUnsentToken = (tx: Orm, userId: string, email: string | null): Promise<string> =>
  createToken(tx, { userId, purpose: "verify_email", email, livesMinutes: LINK_HOURS.verify_email * 60 });

async function createToken(
  tx: Orm,
  input: { userId: string; purpose: TokenPurpose; email: string | null; livesMinutes: number },
): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  const id = newId();
  const { userId, ...rest } = input;
  await insertToken(tx, { id, user_id: userId, ...rest, token_sha256: sha256(token), created_at: idTime(id) });
  return token;
}

/**
 * The user of a mailed link; null when it is unknown, used or expired. Doesn't use it up, because mail
 * scanners open links.
 */
export function findLink(service: Pick<Service, "db">, token: string): Promise<TokenHolder | null> {
  return findTokenHolder(service.db.orm, sha256(token));
}

type Mail = {
  kind?: MailKind;
  recipient: string;
  subject: string;
  paragraphs: readonly string[];
  /** The sender's name, if it is not Cardlane. */
  senderName?: string | null;
  replyTo?: string | null;
};

/**
 * Writes a mail in the transaction that causes it; a job sends it. A link is a paragraph of its own. Never
 * include text chosen by a user, except the merchant's name in a receipt: otherwise anyone could have us mail
 * their text to any address.
 */
export async function writeMail(tx: Orm, mail: Mail): Promise<void> {
  const { kind = "notice", recipient, subject, paragraphs, senderName = null, replyTo = null } = mail;
  const id = newId();
  const body = `${[...paragraphs, "Cardlane"].join("\n\n")}\n`;
  await insertMail(tx, {
    id,
    kind,
    recipient,
    subject,
    body,
    created_at: idTime(id),
    sender_name: senderName,
    reply_to: replyTo,
  });
}

/**
 * Notifies a user of a change to their sign-in, but only at a verified address: an unverified one may be a
 * stranger's mailbox, and anyone can open an account with it.
 */
export async function notify(tx: Orm, user: UserRow, mail: Pick<Mail, "subject" | "paragraphs">): Promise<void> {
  if (user.owns_email) await writeMail(tx, { recipient: user.email, ...mail });
}

/** The latest mail of all users. Only for the page that replaces a mail server in local development. */
export function listOutbox(service: Pick<Service, "db">): Promise<MailRow[]> {
  return listMail(service.db.orm, 100);
}
