import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { TABLE_RIGHTS } from "@/db/rights";

/**
 * Who may send statements that cross environments, and why. Everything else goes through `db.within(environmentId)`, where
 * the database itself keeps it to one.
 */
const CROSSING: Record<string, string> = {
  "lib/domain/people/": "signing in comes before any environment, and an account is one for both",
  "lib/domain/support/": "support staff look across merchants; every look-up is written down",
  "lib/domain/merchants/": "makes and finds environments",
  "lib/domain/settlement/": "a job of all environments",
  "lib/domain/reconciliation/audit-chain.ts": "a job of all environments",
  "lib/domain/idempotency/get-idempotency-key.ts": "the account's history is in its live environment",
  "lib/domain/metrics/fold-deltas.ts": "a job of all environments",
  "lib/domain/payments/complete-operations.ts":
    "finds what is due in any environment; each is then finished within its own",
  "lib/domain/payments/expire-payments.ts": "finds what is due in any environment; each is then ended within its own",
  "lib/domain/payments/process-reports.ts": "a processor's own id tells the environment",
  "lib/domain/request-errors/find-request-error.ts": "support looks up a request by its id alone",
  "lib/domain/request-errors/record-request-errors.ts": "writes many environments' in one statement",
  "lib/domain/request-errors/remove-old-request-errors.ts": "a job of all environments",
  "lib/domain/api-keys/find-usable-key.ts": "the key tells the environment",
  "lib/domain/api-keys/record-key-uses.ts": "writes many environments' in one statement",
  "lib/domain/api-keys/": "works with what its caller gives it: its environment's, or a script's",
  "lib/domain/client-sessions/find-checkout.ts": "the session's token tells the environment",
  "lib/domain/payment-tokens/forget-old-cards.ts": "a job of all environments",
  "lib/domain/checkout-settings/update-checkout-appearance.ts": "the account's history is in its live environment",
  "lib/domain/secret-keys.ts": "what is sealed anywhere is sealed again under a new secret",
  "lib/mail/mail-route.ts": "where mail goes is known before any environment",
  "lib/http/health.ts": "asks whether the database answers",
  "lib/http/metrics.ts": "the figures of the whole service",
  "lib/jobs/": "jobs of all environments",
  "lib/server/": "start-up",
};

const POOL = /\bdb\.(?:sql|orm|long)\b|\}\s*=\s*(?:\w+\.)*(?:service\.db|db)\s*;/;
const WITHIN = /\.db\.within\(/;

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return path === join("lib", "testing") ? [] : sources(path);
    return /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

const crosses = (path: string) => POOL.test(readFileSync(path, "utf8"));
const found = ["app", "components", "lib"]
  .flatMap(sources)
  .filter(crosses)
  .map((path) => relative(".", path));

test("only those listed send statements that cross environments", () => {
  const prefixes = Object.keys(CROSSING);
  expect(found.filter((path) => !prefixes.some((prefix) => path.startsWith(prefix)))).toEqual([]);
});

test("nothing is listed that no longer does", () => {
  const stale = Object.keys(CROSSING).filter((prefix) => !found.some((path) => path.startsWith(prefix)));
  expect(stale).toEqual([]);
});

test("the money path is within its environment", () => {
  for (const verb of ["execute", "follow-up", "finish-operation", "money-request", "resolve-operation"]) {
    expect(readFileSync(`lib/domain/payments/${verb}.ts`, "utf8")).toMatch(WITHIN);
  }
});

/** What account code reaches of environments' tables, by the file of its statements. */
const REACHED: Record<string, string[]> = {
  "abandoned-accounts": ["saved_views"],
  "account-history": ["audit_log"],
  changes: ["events", "audit_log"],
  // These two within their environment: how much of a payment may still be refunded.
  "refund-allowances": ["payments", "transactions"],
  team: ["saved_views"],
};

test("account code reaches no payments: what it reaches of environments' tables is listed", () => {
  const owned = Object.entries(TABLE_RIGHTS).flatMap(([name, { app, owned }]) => (app && !owned ? [name] : []));
  const reads = (name: string): string[] => {
    const source = readFileSync(`db/queries/${name}.ts`, "utf8").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
    const imported = [...source.matchAll(/import (?:type )?\{([^}]*)\} from "\.\.\/schema/g)]
      .map(([, names]) => names)
      .join();
    return owned.filter((table) => {
      const camel = table.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
      const written = new RegExp(`\\b(?:from|join|into|update)\\s+${table}\\b`);
      return new RegExp(`\\b${camel}\\b`).test(imported) || written.test(source);
    });
  };
  const account = ["lib/domain/people", "lib/domain/merchants", "lib/mail"].flatMap(sources);
  const used = account.flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(/from "@\/db\/queries\/([\w-]+)"/g)].map(([, name]) => name as string),
  );
  const found = [...new Set(used)].sort().map((name) => [name, reads(name)] as const);
  expect(Object.fromEntries(found.filter(([, tables]) => tables.length > 0))).toEqual(REACHED);
});
