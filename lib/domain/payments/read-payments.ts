import { LONG_RESPONSE_BYTES } from "@/db/queries/idempotency/keys";
import type { PaymentSnapshot } from "@/db/queries/payments/payments";
import { findPayments, findPaymentWithTransactions, paymentExists } from "@/db/queries/payments/read-payments";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import { type ListPaymentsQuery, type Payment, SHOWN_REFUNDS } from "@/lib/contract/payments/payment";
import { Semaphore } from "@/lib/semaphore";
import { type Context, resourceNotFound } from "../context";
import { idRange, type ListResult, presentList, unknownCursor, withCachedTotal } from "../lists";
import { presentPayment } from "./present";

/**
 * A payment with its charge and refunds. Throws `resource_not_found` for unknown, malformed and foreign ids.
 */
export async function getPayment(ctx: Context, input: { id: string }): Promise<Payment> {
  const id = decodeId("payment", input.id);
  const found =
    id && (await findPaymentWithTransactions(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, id));
  if (!found) throw resourceNotFound("payment", input.id);
  return presentPayment(found.payment, found.transactions, ctx.environment.mode);
}

/** Max. length of a response, in characters of JSON. One payment is never longer. */
const MAX_RESPONSE_LENGTH = 2_000_000;

/**
 * Payments with their transactions, newest first. Throws `invalid_parameter` if `starting_after` is not in
 * this environment, or if the page would be too long: a hundred payments with 8 kB of metadata each, or 1,000
 * refunds.
 */
export async function listPayments(ctx: Context, query: ListPaymentsQuery): Promise<ListResult<Payment>> {
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const limit = query.limit ?? 20;
  const offset = query.offset ?? 0;
  const after = query.starting_after === undefined ? undefined : await findCursor(ctx, query.starting_after);
  const { gte: fromId, lt: beforeId } = idRange({ after: query.created_after, before: query.created_before });
  const filter = { fromId, beforeId, status: query.status, customerId: query.customer_id };
  const counted = { filter: `payments ${JSON.stringify(filter)}`, onlyGrows: filter.status === undefined };
  const found = await withCachedTotal(ctx.service, ctx.environment.id, counted, (total) =>
    findPayments(sql, ctx.environment.id, filter, { limit, offset, after }, total),
  );
  const { rows } = found;
  if (rows === null || rows.reduce((sum, row) => sum + estimateLength(row), 0) > MAX_RESPONSE_LENGTH)
    throw tooLong(limit);
  const data = rows.map((row) => presentPayment(row.payment, row.transactions, ctx.environment.mode));
  return presentList(data, found, limit, offset);
}

async function findCursor(ctx: Context, startingAfter: string): Promise<string> {
  const id = decodeId("payment", startingAfter);
  if (!id || !(await paymentExists(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, id)))
    throw unknownCursor("payment", startingAfter);
  return id;
}

const tooLong = (limit: number) =>
  new AppError(
    "invalid_parameter",
    `These ${limit} payments have so much metadata or so many refunds that the page would be too long. Request fewer at once.`,
    { param: "limit", readBytes: MAX_RESPONSE_LENGTH },
  );

/**
 * Slots for long responses: a payment with many refunds and much metadata takes megabytes of JSON. Only a few
 * are built concurrently, and none is held in memory until it is sent: it is read again from its idempotency
 * key.
 */
const MAX_LONG_RESPONSES = 2;
/** Approximate length of a transaction's JSON without its metadata. */
const USUAL_LENGTH = 1_500;

const longResponses = new Semaphore({ slots: MAX_LONG_RESPONSES });

/** Estimated length of a payment's JSON: the payment and each transaction repeat the charge's metadata. */
export function estimateLength({ transactions }: { transactions: readonly { metadata: unknown }[] }): number {
  const objects = 1 + Math.min(transactions.length, SHOWN_REFUNDS + 1);
  return objects * (JSON.stringify(transactions[0]?.metadata ?? {}).length + USUAL_LENGTH);
}

export const inSlotIfLong = <T>(snapshot: PaymentSnapshot, make: () => Promise<T>): Promise<T> =>
  estimateLength(snapshot) > LONG_RESPONSE_BYTES ? longResponses.run(make) : make();
