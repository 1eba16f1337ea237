import { leaseMail, markMailFailed, markMailSent } from "@/db/queries/accounts/mail-outbox";
import { removeExpiredKeys } from "@/db/queries/idempotency/claims";
import { isDatabaseUnavailable } from "@/db/unavailable";
import { keepableText } from "@/lib/contract/card-numbers";
import { countJobFailure } from "@/lib/counts";
import { removeOldSignIns } from "@/lib/domain/accounts/sessions";
import { closeAbandonedAccounts, removeAbandonedData } from "@/lib/domain/accounts/sign-up";
import { forgetOldCards } from "@/lib/domain/checkout/payment-tokens";
import { followDatabaseTime, type Service } from "@/lib/domain/context";
import { expirePayments } from "@/lib/domain/payments/expire-payments";
import { processReports } from "@/lib/domain/payments/process-reports";
import { recoverOperations } from "@/lib/domain/payments/recover-operations";
import { chainAuditLogs, sealAuditLogs } from "@/lib/domain/reconciliation/audit-chain";
import { foldDeltas } from "@/lib/domain/reporting/daily-totals";
import { removeOldRequestErrors } from "@/lib/domain/request-log/request-errors";
import { followSecret } from "@/lib/domain/secret-keys";
import { settleNightly } from "@/lib/domain/settlement/settle";
import { env } from "@/lib/env";
import { scrub } from "@/lib/log";
import { consoleMailer, type Mailer, mailRoute, openMailer } from "@/lib/mail/mail";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** What every process does that serves requests, whoever else does the work below. */
export const followDatabase = (service: Service): { stop(): Promise<void> }[] => [
  repeat(service, "follow the database's time", SECOND, () => followTime(service)),
  repeat(service, "follow the secret", 5 * SECOND, () => followOrStop(service)),
];

/**
 * The work that no request does. Every instance runs all of it: each job leases or guards its own rows, so none runs twice
 * and none waits for a particular instance.
 */
export function startJobs(service: Service): { stop(): Promise<void> } {
  const { smtpUrl } = env;
  const mailer = smtpUrl === null ? consoleMailer(process.stdout) : openMailer(smtpUrl, env.mailFrom);
  const jobs = [
    ...followDatabase(service),
    repeat(service, "recover operations", SECOND, (stopping) => recoverOperations(service, stopping)),
    repeat(service, "processor reports", SECOND, (stopping) => processReports(service, stopping)),
    repeat(service, "daily totals", SECOND, () => foldDeltas(service)),
    repeat(service, "chain audit logs", SECOND, () => chainAuditLogs(service)),
    repeat(service, "seal audit logs", 10 * MINUTE, () => sealAuditLogs(service)),
    repeat(service, "expire payments", 10 * SECOND, (stopping) => expirePayments(service, stopping)),
    repeat(service, "nightly settlement", MINUTE, () => settleNightly(service)),
    repeat(service, "remove expired keys", 10 * MINUTE, () => removeExpiredKeys(service.db.sql, 10_000)),
    repeat(service, "forget old cards", MINUTE, () => forgetOldCards(service)),
    repeat(service, "remove old request errors", 10 * MINUTE, () => removeOldRequestErrors(service)),
    repeat(service, "remove old sign-ins", 60 * MINUTE, () => removeOldSignIns(service)),
    repeat(service, "close abandoned accounts", 60 * MINUTE, () =>
      closeAbandonedAccounts(service, env.unprovedAccountDays),
    ),
    repeat(service, "remove abandoned test data", MINUTE, () => removeAbandonedData(service)),
    repeat(service, "send mail", SECOND, async () =>
      (await mailRoute(service)) === "outbox" ? 0 : sendMail(service, mailer),
    ),
  ];
  return {
    async stop() {
      await Promise.all(jobs.map((job) => job.stop()));
      mailer.close();
    },
  };
}

/** The database may be another one by now, with a clock of its own. */
async function followTime({ db }: Service): Promise<number> {
  await followDatabaseTime(db.sql);
  return 0;
}

/** A process that cannot read what others make would refuse good cards: it ends as on SIGTERM, and says why. */
async function followOrStop(service: Service): Promise<number> {
  if (await followSecret(service)) return 0;
  service.log.fatal(
    "the database has moved to a secret that this process was not given: it stops, to be restarted with it",
  );
  process.kill(process.pid, "SIGTERM");
  return 0;
}

/** Work that answers how much it did, so that a backlog is worked off without pauses. What takes long begins nothing more once it is to stop. */
type Work = (stopping: AbortSignal) => Promise<number>;

/** Repeats a job every `intervalMs`, never two at a time, and again at once after work was found. A failure is logged and tried again. */
export function repeat(service: Service, name: string, intervalMs: number, work: Work): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  const run = async () => {
    let nextMs = intervalMs;
    try {
      if ((await work(stopping.signal)) > 0) nextMs = Math.min(intervalMs, 100);
    } catch (error) {
      if (isDatabaseUnavailable(error)) service.log.warn({ job: name }, "the database is unavailable, the job waits");
      else {
        countJobFailure(name);
        service.log.error({ err: error, job: name }, "a job failed and is tried again");
      }
    }
    if (!stopping.signal.aborted) schedule(nextMs);
  };
  const schedule = (delayMs: number) => {
    timer = setTimeout(() => {
      running = run();
    }, delayMs);
    timer.unref();
  };
  schedule(0);
  return {
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}

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
