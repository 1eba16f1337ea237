import { takeDueOperations } from "@/db/queries/operations";
import type { Service } from "../context";
import { leaseOf } from "./operation";
import { resolveOperation } from "./resolve-operation";

const BATCH = 20;

/**
 * The completer: takes over operations that nobody works on any more and brings each to its end. Every instance runs it
 * every second. Answers how many it took. One that cannot be resolved now stays open and does not stop the others.
 */
export async function completeOperations(service: Service): Promise<number> {
  const taken = await takeDueOperations(service.db.sql, BATCH, leaseOf(service.processorTimeoutMs));
  const results = await Promise.allSettled(taken.map((operation) => resolveOperation(service, operation)));
  for (const [i, result] of results.entries()) {
    if (result.status === "rejected") {
      service.log.error(
        { err: result.reason, operation: taken[i]?.id },
        "an operation could not be resolved and stays open",
      );
    }
  }
  return taken.length;
}
