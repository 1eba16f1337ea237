import { findRecentRequestErrors } from "@/db/queries/request-errors";
import type { Service } from "../context";
import { presentRequestError, type ShownRequestError } from "./present-request-error";

/** The latest requests of an environment that were refused or failed, newest first. `limit`: at most 200. */
export async function listRecentErrors(
  service: Pick<Service, "db">,
  environmentId: string,
  limit: number,
): Promise<ShownRequestError[]> {
  const rows = await findRecentRequestErrors(service.db.within(environmentId).sql, environmentId, Math.min(limit, 200));
  return rows.map(presentRequestError);
}
