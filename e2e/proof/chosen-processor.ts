import type { Sql } from "@/db/client";
import { journalOf } from "@/lib/processor/connections";
import type { Processor } from "@/lib/processor/port";
import { connectorOf } from "../doubles/adyen/under-test";
import { createOtherProcessor } from "../doubles/other/processor";
import { connectorTo } from "../doubles/stripe/under-test";

/** Processors that can replace the sandbox. */
export const OTHER_PROCESSORS = ["other", "stripe", "adyen"] as const;

/**
 * The processor that the `env` of `runProcessor` selects; null for the sandbox. `sql` is a separate pool on
 * the database that holds the other processor's store and Adyen's journal.
 */
export function chosenProcessor(
  env: Readonly<Record<string, string | undefined>>,
  sql: () => Sql,
  timeoutMs: number,
): Processor | null {
  const { PROOF_STRIPE_ENDPOINT: endpoint = "", PROOF_STRIPE_KEY: secretKey = "", PROOF_ADYEN: adyen = "{}" } = env;
  switch (env.PROOF_PROCESSOR) {
    case "other":
      return createOtherProcessor({ sql: sql(), decidesAfterMs: 20 });
    case "stripe":
      return connectorTo({ endpoint, secretKey }, { name: "stripe", timeoutMs });
    case "adyen":
      return connectorOf(JSON.parse(adyen), journalOf({ db: { sql: sql() } }, "adyen"), { timeoutMs });
    default:
      return null;
  }
}
