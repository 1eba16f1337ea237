import type { ListedKey } from "@/db/queries/idempotency-inspection";
import type { KeyState, KeySummary } from "@/lib/contract/idempotency/idempotency-key";
import { OPERATIONS } from "@/lib/contract/operations";

const METHODS = new Map(OPERATIONS.map(({ name, method }) => [name, method]));

/** The HTTP method of a contract's operation, by its name. */
export const methodOf = (operationName: string): string => METHODS.get(operationName) ?? "POST";

/** What a key is now, from its row and its operation. */
export function stateOf(row: Pick<ListedKey, "expired" | "state" | "o_state" | "o_unknown_at">): KeyState {
  if (row.expired) return "expired";
  if (row.state === "done") return "done";
  return row.o_state === "open" && row.o_unknown_at !== null ? "waiting" : "running";
}

export function presentKey(row: ListedKey): KeySummary {
  return {
    key: row.key,
    state: stateOf(row),
    method: methodOf(row.operation_name),
    path: row.path,
    status: row.status_code,
    replay_count: row.replay_count,
    reuse_count: row.reuse_count,
    created_at: row.created_at,
  };
}
