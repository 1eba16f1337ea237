import { expect, vi } from "vitest";
import type { Database, Sql } from "@/db/client";
import { type AdyenDouble, startAdyenDouble } from "../doubles/adyen/api";
import { faultsOfAdyen, writeAdyenBooks } from "../doubles/adyen/compare";
import { deliverWebhooks } from "../doubles/adyen/deliveries";
import { runOtherCompany } from "../doubles/other/company";
import { createOtherStore, faultsOfOtherStore } from "../doubles/other/store";
import { faultsOfDoubles, writeBooks } from "../doubles/stripe/compare";
import { deliverEvents } from "../doubles/stripe/deliveries";
import { type Double, startDouble } from "../doubles/stripe/double";
import { companyOf } from "../doubles/stripe/under-test";
import { OTHER_PROCESSORS } from "./chosen-processor";

/** Processors that test payments can go to in a proof. */
const NAMES = ["sandbox", ...OTHER_PROCESSORS] as const;
export type ProcessorName = (typeof NAMES)[number];
/** Set by the command, such as `npm run prove:processor`. */
export const PROCESSOR: ProcessorName = NAMES.find((name) => name === process.env.PROOF_PROCESSOR) ?? "sandbox";

/** Refunds come back only when a proof triggers it, not after moments. */
const RETURNS_AFTER_MS = 3_600_000;

export type RunningProcessor = {
  readonly name: ProcessorName;
  /** Environment for `startHost`. */
  readonly env: Record<string, string>;
  /** Fails the environment's refunds that are due to fail, and resolves once our books have it. */
  failRefunds(environmentId: string): Promise<void>;
  /** Requests received by the double of its API; null if it has none. */
  received(): number | null;
  stop(): Promise<void>;
};

/** Stripe doubles, by the database whose payments they receive. */
const doubles = new Map<Database, Double>();

/** The double that a database's payments go to; undefined if it is another processor. */
export const stripeDoubleOf = (db: Database): Double | undefined => doubles.get(db);

/** Runs the processor's side of a proof; `address` returns the host that receives its next report. */
export async function runProcessor(
  db: Database,
  address: () => string,
  name: ProcessorName = PROCESSOR,
): Promise<RunningProcessor> {
  if (name === "stripe") return runDouble(db, address);
  if (name === "adyen") return runAdyen(db, address);
  const failRefunds = (environmentId: string) => failStoredRefunds(db, name, environmentId);
  const received = () => null;
  if (name === "sandbox") return { name, env: {}, failRefunds, received, stop: async () => {} };
  await createOtherStore(db.sql);
  const company = runOtherCompany(db.sql, () => `${address()}/webhooks/other`, RETURNS_AFTER_MS);
  return { name, env: { PROOF_PROCESSOR: "other" }, failRefunds, received, stop: company.stop };
}

async function failStoredRefunds(db: Database, name: ProcessorName, environmentId: string): Promise<void> {
  const reports = bookOf(db.sql, name, "reports");
  const due = await db.sql`
    update ${reports} set due_at = now() - interval '1 ms'
    where account = ${environmentId} and acknowledged_at is null returning 1`;
  expect(due.length).toBeGreaterThan(0);
  const waiting = () => db.sql`select 1 from ${reports} where account = ${environmentId} and acknowledged_at is null`;
  await vi.waitFor(async () => expect(await waiting()).toHaveLength(0), { timeout: 15_000, interval: 50 });
}

/** Runs over HTTP in this process, so it survives every kill of the service. */
async function runDouble(db: Database, address: () => string): Promise<RunningProcessor> {
  const double = await startDouble({ minimumAmount: 1 });
  doubles.set(db, double);
  const company = companyOf(double);
  const deliveries = deliverEvents(double, () => `${address()}/webhooks/stripe`);
  return {
    name: "stripe",
    env: { PROOF_PROCESSOR: "stripe", PROOF_STRIPE_ENDPOINT: double.endpoint, PROOF_STRIPE_KEY: double.secretKey },
    async failRefunds(environmentId) {
      const failed = company.giveBack(environmentId);
      expect(failed.length).toBeGreaterThan(0);
      const open = () => db.sql`
        select 1 from operations where environment_id = ${environmentId} and id = any(${failed}::uuid[])
          and state not in ('failed', 'declined')`;
      await vi.waitFor(async () => expect(await open()).toHaveLength(0), { timeout: 15_000, interval: 50 });
    },
    received: () => double.requests.length,
    async stop() {
      await deliveries.stop();
      await double.stop();
      doubles.delete(db);
    },
  };
}

/** Adyen doubles, by the same key. */
const adyens = new Map<Database, AdyenDouble>();

async function runAdyen(db: Database, address: () => string): Promise<RunningProcessor> {
  const double = await startAdyenDouble();
  adyens.set(db, double);
  const deliveries = deliverWebhooks(double, () => `${address()}/webhooks/adyen`);
  const { url, apiKey, hmacKey, merchantAccount } = double;
  return {
    name: "adyen",
    env: { PROOF_PROCESSOR: "adyen", PROOF_ADYEN: JSON.stringify({ url, apiKey, hmacKey, merchantAccount }) },
    async failRefunds(environmentId) {
      const failed = double.books.giveBack();
      expect(failed.length).toBeGreaterThan(0);
      const open = () => db.sql`
        select 1 from operations where environment_id = ${environmentId} and id = any(${failed}::uuid[])
          and state not in ('failed', 'declined')`;
      await vi.waitFor(async () => expect(await open()).toHaveLength(0), { timeout: 15_000, interval: 50 });
    },
    received: () => double.requests.length,
    async stop() {
      await deliveries.stop();
      await double.stop();
      adyens.delete(db);
    },
  };
}

/** A table of the processor's books, which have the same names for every processor. */
export const bookOf = (sql: Sql, name: ProcessorName, table: "charges" | "operations" | "reports") =>
  sql(`${name}_processor.${table}`);

/** Copies books that a processor keeps elsewhere into the database; call before reading them. */
export async function readBooks(db: Database): Promise<void> {
  const double = doubles.get(db);
  if (double) await writeBooks(db.sql, [double]);
  const adyen = adyens.get(db);
  if (adyen) await writeAdyenBooks(db.sql, adyen);
}

/** Differences between the processor's own books and ours, if it has any. */
export async function faultsOfProcessor(db: Database): Promise<unknown[]> {
  const double = doubles.get(db);
  if (double) return faultsOfDoubles(db, [double]);
  const adyen = adyens.get(db);
  if (adyen) return faultsOfAdyen(db, adyen);
  const [row] = await db.sql<
    { exists: boolean }[]
  >`select to_regclass('other_processor.intents') is not null as exists`;
  return row?.exists ? faultsOfOtherStore(db) : [];
}
