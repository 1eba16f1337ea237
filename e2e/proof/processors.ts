import type { Database, Sql } from "@/db/client";
import { runOtherCompany } from "@/lib/testing/other-processor/company";
import { createOtherStore, faultsOfOtherStore } from "@/lib/testing/other-processor/store";

/** Which processor test payments go to in a proof. */
export type ProcessorName = "sandbox" | "other";
/** As the command says: `npm run prove:processor` sets it. */
export const PROCESSOR: ProcessorName = process.env.PROOF_PROCESSOR === "other" ? "other" : "sandbox";

/** A refund that comes back does so when a proof says, and not after moments. */
const RETURNS_AFTER_MS = 3_600_000;

export type RunningProcessor = {
  /** For `startHost`. */
  readonly env: Record<string, string>;
  stop(): Promise<void>;
};

/** The processor's side of a proof; `address`: of whichever host is to hear from it next. */
export async function runProcessor(
  db: Database,
  address: () => string,
  name: ProcessorName = PROCESSOR,
): Promise<RunningProcessor> {
  if (name === "sandbox") return { env: {}, stop: async () => {} };
  await createOtherStore(db.sql);
  const company = runOtherCompany(db.sql, () => `${address()}/webhooks/other`, RETURNS_AFTER_MS);
  return { env: { PROOF_PROCESSOR: "other" }, stop: company.stop };
}

/** A table of the processor's books; either processor's have the same names. */
export const bookOf = (sql: Sql, name: ProcessorName, table: "charges" | "operations" | "reports") =>
  sql(`${name}_processor.${table}`);

/** Where the other processor's books differ from ours; nothing where there are none. */
export async function faultsOfProcessor(db: Database): Promise<unknown[]> {
  const [row] = await db.sql<
    { exists: boolean }[]
  >`select to_regclass('other_processor.intents') is not null as exists`;
  return row?.exists ? faultsOfOtherStore(db) : [];
}
