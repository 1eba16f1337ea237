import {
  countPaymentMethods,
  findPaymentMethod,
  lockPaymentMethod,
  markRemoved,
  noteRemovalDone,
  listPaymentMethods as selectPaymentMethods,
  suspendRemoval,
  takeDueRemovals,
} from "@/db/queries/payment-methods";
import { runIn, usesPaymentMethod } from "@/db/queries/subscriptions/rows";
import type { PaymentMethodRow } from "@/db/schema/payment-methods";
import { AppError } from "@/lib/contract/errors";
import { TOTAL_CAP } from "@/lib/contract/fields";
import { decodeId } from "@/lib/contract/ids";
import type { ListPaymentMethodsQuery, PaymentMethod } from "@/lib/contract/payment-methods/payment-method";
import type { Mode } from "@/lib/contract/transactions/words";
import { type Context, environmentNow, type Reply, resourceNotFound, type Service } from "../context";
import { changedMembers, recordChange } from "../events/event";
import { runOnce } from "../idempotency/run-once";
import { type ListResult, presentList, unknownCursor } from "../lists";
import { processorCustomer } from "../payments/processor-calls";
import { monthOf, presentPaymentMethod } from "./stored-card";

const ormOf = ({ service, environment }: Context) => service.db.within(environment.id).orm;

export async function getPaymentMethod(ctx: Context, input: { id: string }): Promise<PaymentMethod> {
  const row = await findRow(ctx, input.id);
  if (row === null) throw resourceNotFound("payment method", input.id);
  return presentPaymentMethod(row, ctx.environment.mode, environmentNow(ctx));
}

async function findRow(ctx: Context, publicId: string): Promise<PaymentMethodRow | null> {
  const id = decodeId("paymentMethod", publicId);
  return id === null ? null : findPaymentMethod(ormOf(ctx), ctx.environment.id, id);
}

/** One page of payment methods, newest first. */
export async function listPaymentMethods(
  ctx: Context,
  query: ListPaymentMethodsQuery,
): Promise<ListResult<PaymentMethod>> {
  const { limit = 20, offset = 0, starting_after, customer_id, status } = query;
  const orm = ormOf(ctx);
  const now = environmentNow(ctx);
  const filter = { customerId: customer_id, status, month: monthOf(now) };
  const after = starting_after === undefined ? null : await findRow(ctx, starting_after);
  if (starting_after !== undefined && after === null) throw unknownCursor("payment method", starting_after);
  const page = { limit: limit + 1, offset, after: after?.id ?? null };
  const [rows, total] = await Promise.all([
    selectPaymentMethods(orm, ctx.environment.id, filter, page),
    countPaymentMethods(orm, ctx.environment.id, filter, TOTAL_CAP),
  ]);
  const data = rows.slice(0, limit).map((row) => presentPaymentMethod(row, ctx.environment.mode, now));
  return presentList(data, { hasMore: rows.length > limit, total }, limit, offset);
}

/**
 * Removes a stored card. The row is marked first, so that the card is never charged again even if the
 * processor is unreachable; a job then retries the deletion there.
 */
export async function removePaymentMethod(ctx: Context, input: { id: string }): Promise<Reply> {
  const id = decodeId("paymentMethod", input.id);
  const environmentId = ctx.environment.id;
  const removed: PaymentMethodRow[] = [];
  const reply = await runOnce(ctx, async (tx) => {
    const row = id === null ? null : await lockPaymentMethod(tx, environmentId, id);
    if (row === null) throw resourceNotFound("payment method", input.id);
    const now = environmentNow(ctx);
    const before = presentPaymentMethod(row, ctx.environment.mode, now);
    if (row.removed_at !== null) return before;
    if (await usesPaymentMethod(runIn(tx), environmentId, row.id)) throw inUse(before);
    const after = await markRemoved(tx, environmentId, row.id, { updated_at: now.toISOString(), isGone: false });
    removed.push(after);
    const object = presentPaymentMethod(after, ctx.environment.mode, now);
    const type = "payment_method.removed";
    const data = { object, previous: changedMembers(before, object) };
    await recordChange(ctx, tx, { type, action: type, objectId: row.id, data });
    return object;
  });
  for (const row of removed) await removeAtProcessor(ctx.service, ctx.environment.mode, row);
  return reply;
}

const inUse = ({ status }: PaymentMethod) =>
  new AppError(
    "invalid_state",
    "A subscription that has not ended is charged to this payment method. Give the subscription another one, or cancel it, first.",
    { extra: { current_status: status, allowed_actions: [] } },
  );

const BATCH = 50;

/**
 * Deletes removed cards that their processor still has. Safe to run in several instances. Returns the number
 * deleted.
 */
export async function finishRemovals(service: Service, stopping?: AbortSignal): Promise<number> {
  let done = 0;
  for (const { mode, ...row } of await takeDueRemovals(service.db.sql, BATCH)) {
    if (stopping?.aborted) break;
    if (await removeAtProcessor(service, mode, row)) done++;
  }
  return done;
}

/** False: the job retries later. */
async function removeAtProcessor(service: Service, mode: Mode, row: PaymentMethodRow): Promise<boolean> {
  const { environment_id: environmentId, id, connection_id: connectionId, processor_token: token } = row;
  const customer = processorCustomer(environmentId, row.customer_id);
  try {
    const at = await service.processors.find({ id: environmentId, mode }, connectionId);
    // It is deleted once the account is connected again.
    if (at === null && connectionId !== null) {
      await suspendRemoval(service.db.within(environmentId).orm, environmentId, id);
      return false;
    }
    if (!at?.processor.removeCard) throw new Error("the processor that stores it is not there");
    await at.processor.removeCard(environmentId, { token, customer });
    await noteRemovalDone(service.db.within(environmentId).orm, environmentId, id);
    return true;
  } catch (error) {
    service.log.warn(
      { err: error, payment_method: id },
      "a removed card is still at its processor and will be removed later",
    );
    return false;
  }
}
