import { removeExpiredKeys } from "@/db/queries/idempotency-claims";
import type { Service } from "@/lib/domain/context";
import { followDatabaseTime } from "@/lib/domain/database-time";
import { foldDeltas } from "@/lib/domain/metrics/fold-deltas";
import { forgetOldCards } from "@/lib/domain/payment-tokens/forget-old-cards";
import { completeOperations } from "@/lib/domain/payments/complete-operations";
import { expirePayments } from "@/lib/domain/payments/expire-payments";
import { processReports } from "@/lib/domain/payments/process-reports";
import { closeAbandonedAccounts, removeAbandonedData } from "@/lib/domain/people/close-abandoned-accounts";
import { removeOldSignIns } from "@/lib/domain/people/remove-old-sign-ins";
import { chainAuditLogs, sealAuditLogs } from "@/lib/domain/reconciliation/audit-chain";
import { removeOldRequestErrors } from "@/lib/domain/request-errors/remove-old-request-errors";
import { followSecret } from "@/lib/domain/secret-keys";
import { settleNightly } from "@/lib/domain/settlement/settle-nightly";
import { env } from "@/lib/env";
import { mailRoute } from "@/lib/mail/mail-route";
import { consoleMailer, openMailer } from "@/lib/mail/open-mailer";
import { repeat } from "./repeat";
import { sendMail } from "./send-mail";

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
    repeat(service, "complete operations", SECOND, (stopping) => completeOperations(service, stopping)),
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
