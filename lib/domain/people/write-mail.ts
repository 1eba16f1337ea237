import type { Orm } from "@/db/client";
import { insertMail, type MailKind } from "@/db/queries/mail-outbox";
import type { UserRow } from "@/db/schema/users";
import { idTime, newId } from "@/lib/ids";

export type Mail = { kind?: MailKind; recipient: string; subject: string; paragraphs: readonly string[] };

/**
 * Writes a mail in the transaction that made it necessary; a job sends it. A paragraph that is a link stands alone. No text
 * that somebody chose belongs into it: a stranger could have us say it to anybody.
 */
export async function writeMail(tx: Orm, { kind = "notice", recipient, subject, paragraphs }: Mail): Promise<void> {
  const id = newId();
  const body = `${[...paragraphs, "Cardlane"].join("\n\n")}\n`;
  await insertMail(tx, { id, kind, recipient, subject, body, created_at: idTime(id) });
}

/**
 * Tells a person what happened to their sign-in. Not before the address leads to them: until then it may be a stranger's
 * mailbox, which an account that anybody can open must not fill.
 */
export async function notify(tx: Orm, user: UserRow, mail: Pick<Mail, "subject" | "paragraphs">): Promise<void> {
  if (user.owns_email) await writeMail(tx, { recipient: user.email, ...mail });
}
