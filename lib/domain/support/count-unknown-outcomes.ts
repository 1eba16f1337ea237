import { countUnknownOperations } from "@/db/queries/support-unknown";
import type { Service } from "../context";

/** How many outcomes nobody knows, and how many of them wait for staff. Says nothing of whose they are. */
export function countUnknownOutcomes(service: Pick<Service, "db">): Promise<{ all: number; waiting: number }> {
  return countUnknownOperations(service.db.sql);
}
