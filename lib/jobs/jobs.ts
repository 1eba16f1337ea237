import { leaseMail, leaveInOutbox, markMailFailed, markMailSent } from "@/db/queries/accounts/mail-outbox";
import { removeExpiredKeys } from "@/db/queries/idempotency/keys";
import { foldDeltas } from "@/db/queries/reporting/daily-totals";
import { isDatabaseUnavailable } from "@/db/unavailable";
import { keepableText } from "@/lib/contract/card-numbers";
import { countJobFailure } from "@/lib/counts";
import { removeOldSignIns } from "@/lib/domain/accounts/sessions";
import { closeAbandonedAccounts, removeAbandonedData } from "@/lib/domain/accounts/sign-up";
import { mailApprovals } from "@/lib/domain/approvals/mail-approvals";
import { emitExpiredSessions } from "@/lib/domain/checkout/expire-sessions";
import { removeUntriedSessions } from "@/lib/domain/checkout/open-link";
import { forgetOldCards } from "@/lib/domain/checkout/payment-tokens";
import { followDatabaseTime, type Service } from "@/lib/domain/context";
import { noteCustomers } from "@/lib/domain/customers/customers";
import { notifyOfDisputes } from "@/lib/domain/disputes/dispute-mails";
import { removeFiles } from "@/lib/domain/disputes/files";
import { finishResponses } from "@/lib/domain/disputes/respond";
import { announceExpiring } from "@/lib/domain/payment-methods/expiring-cards";
import { finishRemovals } from "@/lib/domain/payment-methods/payment-methods";
import { expirePayments } from "@/lib/domain/payments/expire-payments";
import { processReports } from "@/lib/domain/payments/process-reports";
import { recoverOperations } from "@/lib/domain/payments/recover-operations";
import { removeExpiredPortalSessions } from "@/lib/domain/portal/portal-sessions";
import { compareRequested, reconcileNightly } from "@/lib/domain/processors/reconciliation";
import { catchUpReports } from "@/lib/domain/processors/reports";
import { type MailPosition, mailReceipts } from "@/lib/domain/receipts/mail-receipts";
import { chainAuditLogs, sealAuditLogs } from "@/lib/domain/reconciliation/audit-chain";
import { mailReports } from "@/lib/domain/reports/report-mails";
import { prepareReports } from "@/lib/domain/reports/reports";
import { keepRequestLog } from "@/lib/domain/request-log/record-requests";
import { followSecret } from "@/lib/domain/secret-keys";
import { runPayouts } from "@/lib/domain/settlement/payouts";
import { settleNightly } from "@/lib/domain/settlement/settle";
import { runSubscriptions } from "@/lib/domain/subscriptions/engine";
import { mailCustomers } from "@/lib/domain/subscriptions/mail-customers";
import { advanceClocks, type ClockPosition, runMovedClocks } from "@/lib/domain/test-clock/advance";
import { WebhookWorker } from "@/lib/domain/webhooks/deliver";
import { removeOldWebhookDeliveries } from "@/lib/domain/webhooks/deliveries";
import { notifyOfFailing } from "@/lib/domain/webhooks/failing-endpoints";
import { env } from "@/lib/env";
import { BEFORE_ALL } from "@/lib/ids";
import { scrub } from "@/lib/log";
import { consoleMailer, type Mailer, mailRoute, openMailer } from "@/lib/mail/mail";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Time that a stopping process waits for the receivers' responses. */
const WEBHOOK_GRACE_MS = 3 * SECOND;

/** Jobs of every serving process, including those that do not run the ones below. */
export const followDatabase = (service: Service): { stop(): Promise<void> }[] => [
  repeat(service, "follow the database's time", SECOND, () => followTime(service)),
  repeat(service, "follow the secret", 5 * SECOND, () => followOrStop(service)),
];

/**
 * Starts the background jobs. Every instance runs all of them: each job leases or guards its own rows, so no
 * work is done twice and none depends on a particular instance.
 */
export function startJobs(service: Service): { stop(): Promise<void> } {
  const { smtpUrl } = env;
  const mailer = smtpUrl === null ? consoleMailer(process.stdout) : openMailer(smtpUrl, env.mailFrom);
  const webhooks = new WebhookWorker(service);
  const receipts: MailPosition = { after: null };
  const movedClocks: ClockPosition = { after: BEFORE_ALL };
  const jobs = [
    ...followDatabase(service),
    repeat(service, "recover operations", SECOND, (stopping) => recoverOperations(service, stopping)),
    repeat(service, "subscriptions", SECOND, (stopping) => runSubscriptions(service, stopping)),
    repeat(service, "processor reports", SECOND, (stopping) => processReports(service, stopping)),
    repeat(service, "catch up processor reports", 10 * SECOND, (stopping) => catchUpReports(service, stopping)),
    repeat(service, "daily totals", SECOND, () => foldDeltas(service.db.sql)),
    repeat(service, "chain audit logs", SECOND, () => chainAuditLogs(service)),
    repeat(service, "seal audit logs", 10 * MINUTE, () => sealAuditLogs(service)),
    repeat(service, "expire payments", 10 * SECOND, (stopping) => expirePayments(service, stopping)),
    repeat(service, "expired session events", 10 * SECOND, (stopping) => emitExpiredSessions(service, stopping)),
    repeat(service, "nightly settlement", MINUTE, () => settleNightly(service)),
    repeat(service, "compare with processors", 10 * MINUTE, (stopping) => reconcileNightly(service, stopping)),
    // Three workers, so that a comparison of many payments does not delay the others.
    ...Array.from({ length: 3 }, () =>
      repeat(service, "comparisons requested", 3 * SECOND, (stopping) => compareRequested(service, stopping)),
    ),
    repeat(service, "advance test clocks", SECOND, (stopping) => advanceClocks(service, stopping)),
    repeat(service, "moved test clocks", 10 * SECOND, (stopping) => runMovedClocks(service, stopping, movedClocks)),
    repeat(service, "payouts", MINUTE, (stopping) => runPayouts(service, stopping)),
    repeat(service, "mail reports", MINUTE, (stopping) => mailReports(service, stopping)),
    repeat(service, "prepare reports", SECOND, (stopping) => prepareReports(service, stopping)),
    repeat(service, "remove expired keys", 10 * MINUTE, () => removeExpiredKeys(service.db.sql, 10_000)),
    repeat(service, "forget old cards", MINUTE, () => forgetOldCards(service)),
    repeat(service, "announce expiring cards", MINUTE, (stopping) => announceExpiring(service, stopping)),
    repeat(service, "delete removed cards", 10 * SECOND, (stopping) => finishRemovals(service, stopping)),
    repeat(service, "remove untried sessions", 10 * MINUTE, () => removeUntriedSessions(service)),
    repeat(service, "remove expired portal sessions", 10 * MINUTE, () => removeExpiredPortalSessions(service)),
    repeat(service, "keep the request log", MINUTE, () => keepRequestLog(service)),
    repeat(service, "remove old sign-ins", 60 * MINUTE, () => removeOldSignIns(service)),
    repeat(service, "close abandoned accounts", 60 * MINUTE, () =>
      closeAbandonedAccounts(service, env.unverifiedAccountDays),
    ),
    repeat(service, "remove abandoned test data", MINUTE, () => removeAbandonedData(service)),
    repeat(service, "note customers", SECOND, () => noteCustomers(service)),
    repeat(service, "send webhooks", SECOND, (stopping, wake) => webhooks.begin(stopping, wake)),
    repeat(service, "finish dispute responses", SECOND, (stopping) => finishResponses(service, stopping)),
    repeat(service, "remove unused files", 10 * MINUTE, () => removeFiles(service)),
    repeat(service, "mail about approvals", 10 * SECOND, () => mailApprovals(service)),
    repeat(service, "notify of disputes", 10 * SECOND, () => notifyOfDisputes(service)),
    repeat(service, "webhook failure notices", MINUTE, () => notifyOfFailing(service)),
    repeat(service, "remove old webhook deliveries", MINUTE, () => removeOldWebhookDeliveries(service)),
    repeat(service, "mail receipts", SECOND, async (stopping) =>
      mailReceipts(service, { leaves: (await mailRoute(service)) === "sent" }, stopping, receipts),
    ),
    repeat(service, "mail about subscriptions", SECOND, async (stopping) =>
      mailCustomers(service, { leaves: (await mailRoute(service)) === "sent" }, stopping),
    ),
    repeat(service, "send mail", SECOND, async () =>
      (await mailRoute(service)) === "outbox" ? leaveInOutbox(service.db.orm, BATCH) : sendMail(service, mailer),
    ),
  ];
  return {
    async stop() {
      await Promise.all(jobs.map((job) => job.stop()));
      await webhooks.stop(WEBHOOK_GRACE_MS);
      mailer.close();
    },
  };
}

/** Repeated, because a failover may have switched to a database with a different clock. */
async function followTime({ db }: Service): Promise<number> {
  await followDatabaseTime(db.sql);
  return 0;
}

/** Without the new secret, a process would refuse valid cards, so it logs the reason and stops by SIGTERM. */
async function followOrStop(service: Service): Promise<number> {
  if (await followSecret(service)) return 0;
  service.log.fatal(
    "the database has moved to a secret that this process was not given: it stops, to be restarted with it",
  );
  process.kill(process.pid, "SIGTERM");
  return 0;
}

/**
 * Does work and returns the amount done, so that a backlog is worked off without long pauses. Long work
 * checks `stopping` and starts nothing more after it. `wake`: call it, at any time, when there may be new
 * work.
 */
type Work = (stopping: AbortSignal, wake: () => void) => Promise<number>;

/** Pause after a run that found work. */
const BUSY_PAUSE_MS = 100;
/** Delay after `wake`, because calls to it usually come in bursts. */
const WAKE_DELAY_MS = 10;

/**
 * Repeats a job every `intervalMs`, never concurrently, and sooner while it finds work. Failures are logged
 * and retried.
 */
export function repeat(service: Service, name: string, intervalMs: number, work: Work): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let state: "runs" | "pauses" | "sleeps" = "pauses";
  let isWoken = false;

  // After a run that found work, the next one is due soon anyway; waking it then would only add runs.
  const wake = () => {
    if (state === "runs") isWoken = true;
    if (state !== "sleeps" || stopping.signal.aborted) return;
    clearTimeout(timer);
    schedule(Math.min(intervalMs, WAKE_DELAY_MS));
  };
  const run = async () => {
    let nextMs = intervalMs;
    state = "runs";
    isWoken = false;
    try {
      const found = await work(stopping.signal, wake);
      if (found > 0) nextMs = Math.min(intervalMs, BUSY_PAUSE_MS);
      else if (isWoken) nextMs = Math.min(intervalMs, WAKE_DELAY_MS);
    } catch (error) {
      if (isDatabaseUnavailable(error))
        service.log.warn({ job: name }, "the database is unavailable, and the job waits");
      else {
        countJobFailure(name);
        service.log.error({ err: error, job: name }, "a job failed and will be retried");
      }
    }
    if (!stopping.signal.aborted) schedule(nextMs);
  };
  const schedule = (delayMs: number) => {
    state = delayMs < intervalMs ? "pauses" : "sleeps";
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
/** Longer than sending a batch can take. */
const LEASE_SECONDS = 600;
const MAX_ATTEMPTS = 12;
const MAX_PAUSE_SECONDS = 6 * 3600;
const MAX_REASON_LENGTH = 500;

/**
 * Sends mail that is due. A mail that the server refuses is retried after 30 s, 1 min, 2 min … up to 6 h, for
 * 12 attempts in all, without delaying other mail. If the process dies, a mail may be sent twice, but it is
 * never lost.
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
      service.log.warn({ err: error, mail_id: mail.id, attempts: mail.attempts }, "a mail was not accepted");
      await markMailFailed(orm, mail.id, storableReason(error), pause);
      continue;
    }
    await markMailSent(orm, mail.id);
    sent += 1;
  }
  return sent;
}

/** The error as it may be stored: the mail server's response is untrusted text. */
const storableReason = (error: unknown): string =>
  keepableText(scrub(error instanceof Error ? error.message : String(error)), MAX_REASON_LENGTH);
