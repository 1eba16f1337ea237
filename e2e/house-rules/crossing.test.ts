import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { TABLE_RIGHTS } from "@/db/rights";

/**
 * Code that may send statements across environments, with the reason: a folder, a file, or a function of a
 * file. All other code uses `db.within(environmentId)`, which the database restricts to one environment.
 */
const CROSSING: Record<string, string> = {
  "lib/domain/accounts/": "signing in comes before any environment, and an account is one for both",
  "lib/domain/team/": "a team is one for both environments",
  "lib/domain/notes/notes.ts": "mails colleagues, and a team is one for both environments",
  "lib/domain/approvals/mail-approvals.ts": "a job of all environments, which writes to the mail queue",
  "lib/domain/support/": "support staff look across merchants; every look-up is recorded",
  "lib/domain/settlement/": "a job of all environments",
  "lib/domain/reconciliation/audit-chain.ts": "a job of all environments",
  "lib/domain/idempotency/inspect-keys.ts#recordLook": "the account's history is in its live environment",
  "lib/domain/payments/recover-operations.ts#RecoverySlots":
    "finds what is due in any environment; each is then finished within its own",
  "lib/domain/payments/expire-payments.ts#expirePayments":
    "finds what is due in any environment; each is then ended within its own",
  "lib/domain/payments/process-reports.ts#findReported": "a processor's own id determines the environment",
  "lib/domain/processors/compare.ts#ComparisonRun": "an operator's connection takes payments of many environments",
  "lib/domain/processors/reconciliation.ts": "a job and a command of the operator, of all environments",
  "lib/domain/processors/restore.ts":
    "a command of the operator, of all environments; each operation is then written within its own",
  "lib/domain/disputes/record-dispute.ts#findDisputed": "a processor's own id determines the environment",
  "lib/domain/disputes/files.ts#removeFiles": "a job over all environments",
  "lib/domain/disputes/respond.ts#finishResponses": "a job over all environments",
  "lib/domain/disputes/dispute-mails.ts#notifyOfDisputes": "a job of all environments, which writes to the mail queue",
  "lib/domain/processors/connections.ts#disconnectProcessor": "a connector's notes name its connection",
  "lib/domain/processors/reports.ts":
    "processors' messages name a connection, which determines the environment; a job of all",
  "lib/processor/connections.ts#createConnections":
    "finds environments whose connections changed; a processor's message names a connection, which determines the environment",
  "lib/processor/connections.ts#createOperator": "the operator's account is one for all environments",
  "lib/processor/connections.ts#journalOf": "a connector's notes name its connection",
  "lib/domain/request-log/read-requests.ts#findRequestOfAnyone": "support looks up a request by its id alone",
  "lib/domain/request-log/record-requests.ts#recordRequests": "writes rows of many environments in one statement",
  "lib/domain/request-log/record-requests.ts#keepRequestLog": "a job of all environments",
  "lib/domain/api-keys/read-keys.ts#findUsableKey": "the key determines the environment",
  "lib/domain/api-keys/read-keys.ts#recordKeyUses": "writes rows of many environments in one statement",
  "lib/domain/api-keys/": "works with what its caller gives it: its environment's, or a script's",
  "lib/domain/test-clock/": "a job of all environments; a clock is in its environment's row, which only jobs may write",
  "lib/domain/checkout/pay-session.ts#findCheckout": "the session's token determines the environment",
  "lib/domain/checkout/expire-sessions.ts#emitExpiredSessions":
    "finds what is due in any environment; each is then notified within its own",
  "lib/domain/checkout/shop.ts#findShop": "a merchant's logo is of both environments",
  "lib/domain/portal/portal-sessions.ts#findVisit": "the session's token determines the environment",
  "lib/domain/portal/portal-sessions.ts#removeExpiredPortalSessions": "a job of all environments",
  "lib/domain/checkout/open-link.ts#findPaymentLink": "the link's token determines the environment",
  "lib/domain/checkout/open-link.ts#removeUntriedSessions": "a job of all environments",
  "lib/domain/checkout/payment-tokens.ts#forgetOldCards": "a job of all environments",
  "lib/domain/subscriptions/engine.ts#runSubscriptions": "a job of all environments",
  "lib/domain/payment-methods/payment-methods.ts#finishRemovals": "a job of all environments",
  "lib/domain/payment-methods/stored-card-reports.ts#processStoredCardReport":
    "the processor's token determines the environment",
  "lib/domain/checkout/appearance.ts#updateCheckoutAppearance": "the account's history is in its live environment",
  "lib/domain/subscriptions/mail-customers.ts": "a job of all environments, which writes to the mail queue",
  "lib/domain/payment-methods/expiring-cards.ts#announce":
    "finds what is due in any environment; each is then announced within its own",
  "lib/domain/receipts/document-settings.ts#updateDocuments": "the account's history is in its live environment",
  "lib/domain/subscriptions/settings.ts#updateSubscriptionSettings": "the account's history is in its live environment",
  "lib/domain/reports/reports.ts#prepareReports": "a job of all environments",
  "lib/domain/reports/report-mails.ts": "a job of all environments; a user's address is not in one",
  "lib/domain/secret-keys.ts": "seals everything again under a new secret",
  "lib/domain/webhooks/deliver.ts#WebhookWorker":
    "finds what is due in any environment; each is then sent and recorded within its own",
  "lib/domain/webhooks/failing-endpoints.ts#notifyOfFailing": "a job of all environments",
  "lib/domain/webhooks/deliveries.ts#removeOldWebhookDeliveries": "a job of all environments",
  "lib/domain/customers/customers.ts#noteCustomers": "a job of all environments",
  "lib/domain/receipts/receipts.ts#openReceipt": "the receipt's token determines the environment",
  "lib/domain/receipts/mail-receipts.ts": "a job of all environments; mail, and the account's history, are of none",
  "lib/mail/mail.ts": "mail addresses are known before any environment",
  "lib/http/health.ts#examine": "checks that the database responds",
  "lib/http/metrics.ts#kept": "the figures of the whole service",
  "lib/jobs/": "jobs of all environments",
  "lib/server/": "start-up",
};

const POOL = /\bdb\.(?:sql|orm|long)\b|\}\s*=\s*(?:\w+\.)*(?:service\.db|db)\s*;/;
const WITHIN = /\.db\.within\(/;
/** Matches a top-level function, class or constant. */
const TOP_LEVEL = /^(?:export )?(?:default )?(?:async )?(?:function\*?|const|class|type|interface) (\w+)/gm;

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

/** `file#function` for each crossing; `file#` for one at the top level. */
function crossing(path: string): string[] {
  const source = readFileSync(path, "utf8");
  const starts = [
    { index: 0, name: "" },
    ...[...source.matchAll(TOP_LEVEL)].map((m) => ({ index: m.index, name: m[1] ?? "" })),
  ];
  return starts
    .filter(({ index }, i) => POOL.test(source.slice(index, starts[i + 1]?.index)))
    .map(({ name }) => `${relative(".", path)}#${name}`);
}

const found = ["app", "components", "lib"].flatMap(sources).flatMap(crossing);

test("only listed code sends statements across environments", () => {
  const prefixes = Object.keys(CROSSING);
  expect(found.filter((path) => !prefixes.some((prefix) => path.startsWith(prefix)))).toEqual([]);
});

test("every listed entry still crosses environments", () => {
  const stale = Object.keys(CROSSING).filter((prefix) => !found.some((path) => path.startsWith(prefix)));
  expect(stale).toEqual([]);
});

test("the money path stays within its environment", () => {
  for (const verb of ["execute", "follow-up", "finish-operation", "money-request", "recover-operations"]) {
    expect(readFileSync(`lib/domain/payments/${verb}.ts`, "utf8")).toMatch(WITHIN);
  }
});

/** Environment tables that account code accesses, by query file. */
const REACHED: Record<string, string[]> = {
  "accounts/abandoned": ["report_mails", "saved_views"],
  // Reads the amounts of what members did with payments, within each environment.
  "accounts/act-amounts": ["operations"],
  "accounts/history": ["audit_log"],
  // Reads the refundable amount of a payment, within its environment.
  "accounts/refund-limit": ["payments", "transactions"],
  changes: ["events", "audit_log"],
  // A new time zone changes the day boundaries.
  "reporting/daily-totals": ["daily_totals", "total_deltas"],
  team: ["report_mails", "saved_views", "approval_requests"],
};

test("account code reaches no payments, and only listed tables of environments", () => {
  const owned = Object.entries(TABLE_RIGHTS).flatMap(([name, { app, owned }]) => (app && !owned ? [name] : []));
  const reads = (name: string): string[] => {
    const source = readFileSync(`db/queries/${name}.ts`, "utf8").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
    const imported = [...source.matchAll(/import (?:type )?\{([^}]*)\} from "(?:\.\.\/|@\/db\/)+schema/g)]
      .map(([, names]) => names)
      .join();
    return owned.filter((table) => {
      const camel = table.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
      const written = new RegExp(`\\b(?:from|join|into|update)\\s+${table}\\b`);
      return new RegExp(`\\b${camel}\\b`).test(imported) || written.test(source);
    });
  };
  const account = ["lib/domain/accounts", "lib/domain/team", "lib/mail"].flatMap(sources);
  const used = account.flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(/from "@\/db\/queries\/([\w/-]+)"/g)].map(([, name]) => name as string),
  );
  const found = [...new Set(used)].sort().map((name) => [name, reads(name)] as const);
  expect(Object.fromEntries(found.filter(([, tables]) => tables.length > 0))).toEqual(REACHED);
});
