import type { ActorRecord, RequestErrorRow } from "@/db/queries/request-errors";
import { encodeId } from "@/lib/contract/ids";

export type ShownRequestError = {
  /** `req_…`. */
  readonly requestId: string;
  /** With the UUID of a key or person. */
  readonly actor: ActorRecord;
  /** Name of the contract's operation. */
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly param: string | null;
  readonly at: string;
};

export function presentRequestError(row: RequestErrorRow): ShownRequestError {
  const { id, actor, operation, method, path, status, code, detail, param, created_at: at } = row;
  return { requestId: encodeId("request", id), actor, operation, method, path, status, code, detail, param, at };
}
