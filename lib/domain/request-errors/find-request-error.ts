import { findRequestError as findRow } from "@/db/queries/request-errors";
import { decodeId } from "@/lib/contract/ids";
import type { Service } from "../context";
import { presentRequestError, type ShownRequestError } from "./present-request-error";

/** A refused or failed request by its `req_…` id, across all merchants: for support staff alone. Null when it is not kept. */
export async function findRequestError(
  service: Pick<Service, "db">,
  requestId: string,
): Promise<(ShownRequestError & { environmentId: string }) | null> {
  const id = decodeId("request", requestId);
  const row = id && (await findRow(service.db.sql, id));
  return row ? { ...presentRequestError(row), environmentId: row.environment_id } : null;
}
