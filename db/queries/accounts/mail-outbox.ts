import { desc, eq, sql } from "drizzle-orm";
import type { Orm } from "@/db/client";
import { mailOutbox } from "@/db/schema/accounts";

export type MailRow = typeof mailOutbox.$inferSelect;
export type MailKind = MailRow["kind"];
type NewMail = Pick<MailRow, "kind" | "recipient" | "sender_name" | "reply_to" | "subject" | "body">;

/** Call it in the transaction that causes the mail. */
export async function insertMail(orm: Orm, mail: NewMail & { id: string; created_at: string }): Promise<void> {
  // Due immediately: a stored time is rounded to milliseconds, and must not become one that is still to come.
  await orm.insert(mailOutbox).values({ ...mail, next_attempt_at: sql`date_trunc('milliseconds', now())` });
}

/** Number of mails of a kind sent to an address within the last hours. Index: mail_outbox_recipient. */
export async function countMails(
  orm: Orm,
  recipient: string,
  kind: Exclude<MailKind, "notice" | "receipt">,
  hours: number,
): Promise<number> {
  return orm.$count(
    mailOutbox,
    sql`lower(${mailOutbox.recipient}) = lower(${recipient}) and ${mailOutbox.kind} <> 'notice' and ${mailOutbox.kind} = ${kind}
      and ${mailOutbox.created_at} > now() - make_interval(hours => ${hours}::integer)`,
  );
}

export function listMail(orm: Orm, limit: number): Promise<MailRow[]> {
  return orm.select().from(mailOutbox).orderBy(desc(mailOutbox.id)).limit(limit);
}

const GIVEN_UP = sql`'9999-01-01 00:00+00'::timestamptz`;
/** Pauses last six hours at most; a later end means the database's clock was set back. */
const isDue = sql`(next_attempt_at <= now() or (next_attempt_at > now() + interval '7 hours' and next_attempt_at < ${GIVEN_UP}))`;

/** Number of due receipts, counted no further than `limit`. Index: mail_outbox_due. */
export function countDueReceipts(orm: Orm, limit: number): Promise<number> {
  const due = orm
    .select({ id: mailOutbox.id })
    .from(mailOutbox)
    .where(sql`sent_at is null and ${isDue} and ${mailOutbox.kind} = 'receipt'`)
    .limit(limit);
  return orm.$count(due.as("due"));
}

/**
 * Leases due mail for `leaseSeconds` and counts the attempt; after a crash, the lease expires and another
 * process takes over. Index: mail_outbox_due.
 */
export function leaseMail(orm: Orm, limit: number, leaseSeconds: number): Promise<MailRow[]> {
  const due = sql`(select id from ${mailOutbox} where sent_at is null and ${isDue}
    order by kind = 'receipt', next_attempt_at limit ${limit}::integer for update skip locked)`;
  return orm
    .update(mailOutbox)
    .set({
      attempts: sql`${mailOutbox.attempts} + 1`,
      next_attempt_at: sql`now() + make_interval(secs => ${leaseSeconds}::integer)`,
    })
    .where(sql`${mailOutbox.id} in ${due}`)
    .returning();
}

/**
 * Marks due mail as sent without sending, because the outbox page already shows it and a mail server
 * configured later must not send it. Returns the number.
 */
export async function leaveInOutbox(orm: Orm, limit: number): Promise<number> {
  const due = sql`(select id from ${mailOutbox} where sent_at is null and ${isDue}
    order by next_attempt_at limit ${limit}::integer for update skip locked)`;
  const rows = await orm
    .update(mailOutbox)
    .set({ sent_at: sql`now()` })
    .where(sql`${mailOutbox.id} in ${due}`)
    .returning({ id: mailOutbox.id });
  return rows.length;
}

/** The text of a sent mail is deleted, because its links open accounts. */
export async function markMailSent(orm: Orm, id: string): Promise<void> {
  await orm.update(mailOutbox).set({ sent_at: sql`now()`, last_error: null, body: "" }).where(eq(mailOutbox.id, id));
}

/** `nextAttemptInSeconds` null = no further attempts. */
export async function markMailFailed(
  orm: Orm,
  id: string,
  lastError: string,
  nextAttemptInSeconds: number | null,
): Promise<void> {
  const next =
    nextAttemptInSeconds === null ? GIVEN_UP : sql`now() + make_interval(secs => ${nextAttemptInSeconds}::integer)`;
  await orm.update(mailOutbox).set({ last_error: lastError, next_attempt_at: next }).where(eq(mailOutbox.id, id));
}

/** Deletes mails older than 30 days, sent or not: their links expired long ago. Returns the number. */
export async function deleteOldMail(orm: Orm, limit: number): Promise<number> {
  const old = sql`(select id from ${mailOutbox} where created_at <= now() - interval '30 days'
    limit ${limit}::integer for update skip locked)`;
  const rows = await orm.delete(mailOutbox).where(sql`${mailOutbox.id} in ${old}`).returning({ id: mailOutbox.id });
  return rows.length;
}
