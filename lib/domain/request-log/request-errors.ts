import type { Sql } from "@/db/client";
import {
  type ActorRecord,
  deleteOldRequestErrors,
  findRecentRequestErrors,
  findRequestError as findRow,
  insertRequestErrors,
  type RequestErrorRow,
} from "@/db/queries/request-log";
import { keepableText } from "@/lib/contract/card-numbers";
import { decodeId, encodeId } from "@/lib/contract/ids";
import type { Service } from "../context";

export type RequestError = RequestErrorRow;

const MAX_TEXT = 1_000;

/** Keeps what was refused or failed. Texts may quote what a caller sent, so card numbers in them are masked. */
export async function recordRequestErrors(
  service: { db: { sql: Sql } },
  errors: readonly RequestError[],
): Promise<void> {
  if (errors.length === 0) return;
  await insertRequestErrors(
    service.db.sql,
    errors.map((error) => ({
      ...error,
      path: keepable(error.path),
      detail: keepable(error.detail),
      param: error.param === null ? null : keepable(error.param),
    })),
  );
}

const keepable = (text: string) => keepableText(text, MAX_TEXT);

/** A refused or failed request by its `req_…` id, across all merchants: for support staff alone. Null when it is not kept. */
export async function findRequestError(
  service: Pick<Service, "db">,
  requestId: string,
): Promise<(ShownRequestError & { environmentId: string }) | null> {
  const id = decodeId("request", requestId);
  const row = id && (await findRow(service.db.sql, id));
  return row ? { ...presentRequestError(row), environmentId: row.environment_id } : null;
}

/** The latest requests of an environment that were refused or failed, newest first. `limit`: at most 200. */
export async function listRecentErrors(
  service: Pick<Service, "db">,
  environmentId: string,
  limit: number,
): Promise<ShownRequestError[]> {
  const rows = await findRecentRequestErrors(service.db.within(environmentId).sql, environmentId, Math.min(limit, 200));
  return rows.map(presentRequestError);
}

type ShownRequestError = {
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

function presentRequestError(row: RequestErrorRow): ShownRequestError {
  const { id, actor, operation, method, path, status, code, detail, param, created_at: at } = row;
  return { requestId: encodeId("request", id), actor, operation, method, path, status, code, detail, param, at };
}

const AT_ONCE = 5_000;

/** Removes what is older than 30 days, some at a time; answers how many. */
export function removeOldRequestErrors(service: Pick<Service, "db">): Promise<number> {
  return deleteOldRequestErrors(service.db.sql, AT_ONCE);
}
