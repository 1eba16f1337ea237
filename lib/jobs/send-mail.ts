import { leaseMail, markMailFailed, markMailSent } from "@/db/queries/mail-outbox";
import { keepableText } from "@/lib/contract/card-numbers";
import type { Service } from "@/lib/domain/context";
import { scrub } from "@/lib/log";
import type { Mailer } from "@/lib/mail/open-mailer";

const BATCH = 20;
/** Longer than a batch can take to be sent. */
const LEASE_SECONDS = 600;
const MAX_ATTEMPTS = 12;
const MAX_PAUSE_SECONDS = 6 * 3600;
const LONGEST_REASON = 500;

/**
 * Sends mail that is due. A mail that the server does not take is tried again after 30 s, 1 min, 2 min … up to six hours,
 * twelve times; a later one does not wait for it. A mail may be sent twice when the process dies, never not at all.
 */
export async function sendMail(service: Pick<Service, "db" | "log">, mailer: Mailer): Promise<number> {
  const { orm } = service.db;
  const due = await leaseMail(orm, BATCH, LEASE_SECONDS);
  let sent = 0;
  for (const mail of due) {
    try {
      await mailer.send(mail);
    } catch (error) {
      const pause = mail.attempts >= MAX_ATTEMPTS ? null : Math.min(30 * 2 ** (mail.attempts - 1), MAX_PAUSE_SECONDS);
      service.log.warn({ err: error, mail_id: mail.id, attempts: mail.attempts }, "a mail was not taken");
      await markMailFailed(orm, mail.id, reasonOf(error), pause);
      continue;
    }
    await markMailSent(orm, mail.id);
    sent += 1;
  }
  return sent;
}

/** What the mail server said is a stranger's text. */
const reasonOf = (error: unknown): string =>
  keepableText(scrub(error instanceof Error ? error.message : String(error)), LONGEST_REASON);
