import type { Statement } from "@/db/connection";

/** Rows as postgres.js answers them. */
export type Answered = readonly Record<string, unknown>[] & { readonly count?: number };

/** What a statement is called in a trace, by words that only it has. */
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
  [/update idempotency_keys set state = 'done'/, "store refusal"],
  [/insert into idempotency_keys/, "claim key"],
  [/insert into sandbox_processor\.refusals/, "store: refuse once"],
  [
    /insert into sandbox_processor\.charges \(\s*reference, account, behaviour, outcome, decline_code, amount, currency, capture_at_once, amount_captured/,
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

/** The fixed text of a statement. What stands in its place for values is left out. */
export function textOf(statement: Statement): string {
  const { strings } = statement as unknown as { strings: readonly string[] };
  return strings.join("?");
}

/** What an answer says, without ids: those of two runs of one seed differ. */
export function summaryOf(answer: Answered): string {
  const [row] = answer;
  if (!row) return answer.count ? `${answer.count} rows` : "no row";
  if (answer.length > 1) return `${answer.length} rows`;
  const told = Object.entries(row).filter(([name, value]) => isTold(name, value));
  return told.length === 0
    ? "1 row"
    : told
        .slice(0, 8)
        .map(([name, value]) => `${name} ${String(value)}`)
        .join(", ");
}

const TOLD = /^(status|state|outcome|kind|operation_state|amount|epoch|version|status_code|type|mode)$/;
const isTold = (name: string, value: unknown) =>
  typeof value === "boolean" || (TOLD.test(name) && (typeof value === "string" || typeof value === "number"));
