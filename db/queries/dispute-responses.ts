/** SQL of responses to disputes: the intent, its lease, and its end. */
import { and, eq, inArray, isNotNull, or, type SQL, sql } from "drizzle-orm";
import type { DisputeResponse } from "@/lib/contract/disputes/evidence";
import type { Mode } from "@/lib/contract/transactions/words";
import type { Orm, Sql } from "../client";
import { type DisputeRow, disputes, type ResponseAuthor } from "../schema/disputes";

const byId = (environmentId: string, id: string) =>
  and(eq(disputes.environment_id, environmentId), eq(disputes.id, id)) as SQL;
const isOpen = (environmentId: string, id: string, reference: string) =>
  and(byId(environmentId, id), eq(disputes.response_id, reference), isNotNull(disputes.response_due_at)) as SQL;
const later = (ms: number) => sql`now() + ${ms}::int * interval '1 ms'`;

export async function lockDisputeById(orm: Orm, environmentId: string, id: string): Promise<DisputeRow | null> {
  const [row] = await orm.select().from(disputes).where(byId(environmentId, id)).for("update");
  return row ?? null;
}

/**
 * Writes a response's intent, with a lease for its executor. Null: the dispute takes none, has no evidence to
 * submit, or another one was begun.
 */
export async function beginResponse(
  orm: Orm,
  environmentId: string,
  id: string,
  begun: { response: DisputeResponse; reference: string; by: ResponseAuthor; leaseMs: number },
): Promise<DisputeRow | null> {
  const { response, reference: response_id, by: response_by, leaseMs } = begun;
  const [row] = await orm
    .update(disputes)
    .set({ response, response_id, response_by, response_due_at: later(leaseMs) })
    .where(
      and(
        byId(environmentId, id),
        eq(disputes.status, "NEEDS_RESPONSE"),
        eq(disputes.answerable, true),
        sql`${disputes.response_due_at} is null`,
        response === "submit" ? sql`${disputes.evidence} <> '{}'` : undefined,
      ),
    )
    .returning();
  return row ?? null;
}

/** Takes over a response whose executor died. Null: its lease runs, or it has ended. */
export async function takeOverResponse(
  orm: Orm,
  environmentId: string,
  id: string,
  { reference, leaseMs }: { reference: string; leaseMs: number },
): Promise<DisputeRow | null> {
  const [row] = await orm
    .update(disputes)
    .set({ response_due_at: later(leaseMs) })
    .where(and(isOpen(environmentId, id, reference), sql`${disputes.response_due_at} <= now()`))
    .returning();
  return row ?? null;
}

/**
 * Removes the intent of a response that had no effect. `refused`: the processor said so, in which case a report
 * of the bank's decision may have ended the intent already.
 */
export async function withdrawResponse(
  orm: Orm,
  environmentId: string,
  id: string,
  { reference, refused = false }: { reference: string; refused?: boolean },
): Promise<void> {
  const isRefused = and(
    byId(environmentId, id),
    eq(disputes.response_id, reference),
    inArray(disputes.status, ["WON", "LOST"]),
  );
  await orm
    .update(disputes)
    .set({ response: null, response_id: null, response_by: null, response_due_at: null })
    .where(refused ? or(isOpen(environmentId, id, reference), isRefused) : isOpen(environmentId, id, reference));
}

/** Ends the lease; the outcome is checked again after `pauseMs`. */
export async function postponeResponse(
  orm: Orm,
  environmentId: string,
  id: string,
  { reference, pauseMs }: { reference: string; pauseMs: number },
): Promise<void> {
  await orm
    .update(disputes)
    .set({ response_due_at: later(pauseMs) })
    .where(isOpen(environmentId, id, reference));
}

/**
 * Responses that are due for a check, of all environments. Each is then taken by
 * {@link takeOverResponse}. Index: `disputes_responding`.
 */
export async function listDueResponses(
  sql: Sql,
  limit: number,
): Promise<(Pick<DisputeRow, "environment_id" | "id"> & { response_id: string; mode: Mode })[]> {
  return sql<(Pick<DisputeRow, "environment_id" | "id"> & { response_id: string; mode: Mode })[]>`
    select d.environment_id, d.id, d.response_id, e.mode from disputes d
    join environments e on e.id = d.environment_id
    where d.response_due_at <= now() order by d.response_due_at, d.environment_id, d.id limit ${limit}::int`;
}
