import type { Sql } from "@/db/client";
import type { SandboxDisputeRow } from "@/db/schema/sandbox";

export async function findSandboxDispute(sql: Sql, id: string): Promise<SandboxDisputeRow | null> {
  const [row] = await sql<SandboxDisputeRow[]>`select * from sandbox_processor.disputes where id = ${id}::uuid`;
  return row ?? null;
}

/**
 * Decides a dispute by a response, once. Returns the dispute afterwards, whichever response counted; null if the
 * account has no such dispute.
 */
export async function decideSandboxDispute(
  sql: Sql,
  { id, account, reference }: { id: string; account: string; reference: string },
  status: SandboxDisputeRow["status"],
): Promise<SandboxDisputeRow | null> {
  const [row] = await sql<SandboxDisputeRow[]>`
    with decided as (
      update sandbox_processor.disputes set status = ${status}, response = ${reference}::uuid
      where id = ${id}::uuid and account = ${account}::uuid and status = 'needs_response'
      returning *
    )
    select * from decided
    union all
    select * from sandbox_processor.disputes
    where id = ${id}::uuid and account = ${account}::uuid and not exists (select from decided)`;
  return row ?? null;
}
