import { deleteOldRequestErrors } from "@/db/queries/request-errors";
import type { Service } from "../context";

const AT_ONCE = 5_000;

/** Removes what is older than 30 days, some at a time; answers how many. */
export function removeOldRequestErrors(service: Pick<Service, "db">): Promise<number> {
  return deleteOldRequestErrors(service.db.sql, AT_ONCE);
}
