import type { Sql, Transaction } from "@/db/client";
import type { ProcessorObjectRow } from "@/db/schema/operations";
import type { HeldOperation } from "./operations";

type KeptObject = Pick<ProcessorObjectRow, "processor" | "kind"> & {
  /** The processor's own id. */
  id: string;
};

/**
 * Stores the processor's id of an object that it created for an operation; idempotent. False: the operation
 * is closed or held by another process. The operation's row is locked, so that its next holder either sees
 * the id, or this fails.
 */
export async function insertProcessorObject(
  sql: Sql | Transaction,
  operation: HeldOperation,
  { processor, kind, id }: KeptObject,
): Promise<boolean> {
  const { environmentId } = operation;
  const [row] = await sql<[{ kept: boolean }]>`
    with held as (
      select environment_id, id, payment_id from operations
      where environment_id = ${environmentId}::uuid and id = ${operation.id}::uuid and state = 'open'
        and epoch = ${operation.epoch}::int
      for update
    ),
    kept as (
      insert into processor_objects (environment_id, processor, object_id, kind, operation_id, payment_id)
      select environment_id, ${processor}, ${id}, ${kind}, id, payment_id from held
      on conflict do nothing
      returning 1
    )
    select exists (select from kept) or exists (
      select from processor_objects
      where environment_id = ${environmentId}::uuid and processor = ${processor} and object_id = ${id}
        and operation_id = ${operation.id}::uuid
    ) and exists (select from held) as kept`;
  return row.kept;
}

/** Objects of a payment at the processor, oldest first. Index: `processor_objects_payment`. */
export async function listProcessorObjects(
  sql: Sql,
  environmentId: string,
  paymentId: string,
): Promise<{ kind: string; id: string }[]> {
  return sql<{ kind: string; id: string }[]>`
    select kind, object_id as id from processor_objects
    where environment_id = ${environmentId}::uuid and payment_id = ${paymentId}::uuid
    order by created_at, object_id
    limit 1000`;
}

/**
 * The operation of a processor's object, in any environment; null for an unknown id. Index:
 * `processor_objects_id`.
 */
export async function findOperationOfObject(
  sql: Sql | Transaction,
  processor: string,
  objectId: string,
): Promise<{ environment_id: string; operation_id: string } | null> {
  const [row] = await sql<{ environment_id: string; operation_id: string }[]>`
    select environment_id, operation_id from processor_objects
    where processor = ${processor} and object_id = ${objectId}`;
  return row ?? null;
}
