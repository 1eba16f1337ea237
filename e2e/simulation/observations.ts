import type { Rows } from "@/db/connection";
import type { Statement } from "@/db/statements";
import type { World } from "./world";

/** A statement's name in a trace, recognized by text unique to it. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/insert into payments \(/, "T1"],
  [/with target as \(/, "T1"],
  [/with answered as \(/, "T2"],
  [/octet_length\(k\.response_body\)/, "find key"],
  [/with recursive waiting[\s\S]*update operations o set/, "take due"],
  [/update operations o set [\s\S]*from environments e/, "take"],
  [/may_resend = false/, "hold to resend"],
  [/set epoch = epoch \+ 1, lease_until/, "hold again"],
  [/update operations set lease_until = now\(\) \+/, "prolong lease"],
  [/update operations set lease_until = now\(\), next_attempt_at/, "leave open"],
  [/select now\(\) from operations/, "time while held"],
  [/select \* from operations/, "find operation"],
  [/delete from idempotency_keys/, "release key"],
  [/update idempotency_keys set state = 'done'/, "store response"],
  [/insert into idempotency_keys/, "claim key"],
  [/insert into sandbox_processor\.refusals/, "store: refuse once"],
  [
    /insert into sandbox_processor\.charges \(\s*reference, account, behavior, outcome, decline_code, amount, currency, capture_at_once, amount_captured/,
    "store: charge",
  ],
  [/insert into sandbox_processor\.charges/, "store: close"],
  [/'continue', reference/, "store: continue"],
  [/insert into sandbox_processor\.operations/, "store: move"],
  [/select account, outcome, decline_code/, "store: find"],
  [/set outcome = 'failed'/, "store: fail refunds"],
  [/set acknowledged_at/, "store: acknowledge"],
  [/from sandbox_processor\.reports/, "store: list reports"],
  [/payments[\s\S]*open_operation_id is null/, "list expired"],
  [/status = 'REQUIRES_ACTION'/, "list abandoned"],
];

const known = new Map<string, string>();

export function nameOf(statement: Statement): string {
  const text = textOf(statement);
  const name =
    known.get(text) ??
    NAMES.find(([words]) => words.test(text))?.[1] ??
    text.replaceAll(/\s+/g, " ").trim().slice(0, 48);
  known.set(text, name);
  return name;
}

/** The fixed text of a statement, with placeholders for its values. */
const textOf = ({ strings }: Statement): string => strings.join("?");

const UUID = /^[\da-f]{8}-[\da-f-]{27}$/;

/** The ids among a statement's values. */
const idsIn = ({ args }: Statement): string =>
  args.filter((value) => typeof value === "string" && UUID.test(value)).join();

/** A response without its ids, which differ between two runs of one seed. */
export function summaryOf(answer: Rows): string {
  const [row] = answer;
  if (!row) return answer.count ? `${answer.count} rows` : "no row";
  if (answer.length > 1) return `${answer.length} rows`;
  const observed = Object.entries(row).filter(([name, value]) => isObserved(name, value));
  return observed.length === 0
    ? "1 row"
    : observed
        .slice(0, 8)
        .map(([name, value]) => `${name} ${String(value)}`)
        .join(", ");
}

const OBSERVED = /^(status|state|outcome|kind|operation_state|amount|epoch|version|status_code|type|mode)$/;
const isObserved = (name: string, value: unknown) =>
  typeof value === "boolean" || (OBSERVED.test(name) && (typeof value === "string" || typeof value === "number"));

/**
 * Conditions that a run of thousands of seeds must meet at least once each; otherwise it proves little. Each
 * name is recorded where the simulation detects the condition.
 */
export const CONDITIONS = [
  "an outcome is refused at the fence",
  "an outcome is recomputed",
  "ambiguous T1",
  "ambiguous T2",
  "an orphaned approval is found",
  "a repeat sends what the first request did not",
  "an authorization is sent again",
  "a concurrent capture and void",
  "concurrent refunds",
  "a stopped process resumes after losing its operation",
  "a report before its acceptance",
  "a report arrives twice",
  "a key is reused after its 24 hours",
  "a session is paid once by concurrent shoppers",
  "a token is used once by concurrent requests",
  "a stored card is removed between its payments",
  "a subscription renews",
  "a reference is closed",
  "a call arrives too late",
  "the processor accepts and decides later",
  "a first request continues after a delay",
  "a repeat waits for the first request",
  "a response is replayed",
  "a refusal: idempotency_key_reused",
  "a statement waits for a lock",
  "an authorization expires",
  "a challenge is abandoned",
  "staff resolve an operation of the day before",
  "a connection lost within a transaction",
  "a dispute is WON",
  "a dispute is LOST",
  "a dispute is ACCEPTED",
  "a response to a dispute is disturbed",
  "a report of a dispute arrives late",
  "a report of a dispute is repeated late",
  "an outdated read of a dispute is heard last",
  "a refusal: payment_disputed",
  "a disputed payment is refunded knowingly",
  "a payout is made amid disputes",
  "an approval ends APPROVED",
  "an approval ends FAILED",
  "a refusal to approve: invalid_state",
  "a read is served by the replica",
  "a read is served by the primary",
  "a replica stops replaying",
  "a replica disappears",
  "a balance is compared with the ledger",
  "a customer is shown with known payments",
  "requests for approval are listed",
] as const;

type Result = { readonly answer: Rows } | { readonly error: Error };

/** Detects conditions from the statements sent. */
export function watch(world: World): (name: string, result: Result, statement: Statement) => void {
  const resent = new Set<string>();
  return (name, result, statement) => {
    if ("error" in result) {
      if (name === "T2" && "code" in result.error && result.error.code === "CL001") {
        world.sometimes("an outcome is refused at the fence or is stale");
      }
      return;
    }
    const rows = result.answer;
    switch (name) {
      case "time while held":
        world.sometimes(rows.length === 0 ? "an outcome is refused at the fence" : "an outcome is recomputed");
        if (rows.length === 0 && world.actor.process?.wasStopped) {
          world.sometimes("a stopped process resumes after losing its operation");
        }
        break;
      case "find key":
        if (rows[0]?.state === "running") world.sometimes("a repeat waits for the first request");
        break;
      case "hold to resend":
        if (rows.length === 0) break;
        world.sometimes("a repeat sends what the first request did not");
        if (resent.has(idsIn(statement))) world.violate("the right to resend an authorization is granted twice");
        resent.add(idsIn(statement));
        break;
      case "hold again":
        if (rows.length > 0) world.sometimes("a first request continues after a delay");
        break;
      case "list abandoned":
        if (rows.length > 0) world.sometimes("a challenge is abandoned");
        break;
      case "find operation":
        if (rows[0]?.state === "open" && world.actor.name.startsWith("reports")) {
          world.sometimes("a report before its acceptance");
        }
        break;
    }
  };
}
