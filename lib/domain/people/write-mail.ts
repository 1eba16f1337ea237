import type { Orm } from "@/db/client";
import { insertMail } from "@/db/queries/mail-outbox";
import { idTime, newId } from "@/lib/ids";

export type Mail = { recipient: string; subject: string; paragraphs: readonly string[] };

/** Writes a mail in the transaction that made it necessary; a job sends it. A paragraph that is a link stands alone. */
export async function writeMail(tx: Orm, mail: Mail): Promise<void> {
  const id = newId();
  const body = `${[...mail.paragraphs, "Cardlane"].join("\n\n")}\n`;
  await insertMail(tx, { id, recipient: mail.recipient, subject: mail.subject, body, created_at: idTime(id) });
}
