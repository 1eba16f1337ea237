import { findPayments, paymentExists } from "@/db/queries/payment-reads";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import type { ListPaymentsQuery, Payment } from "@/lib/contract/payments/payment";
import type { Context } from "../context";
import { idRange } from "../id-range";
import { withKnownTotal } from "../known-totals";
import { type ListAnswer, listAnswer } from "../list-answer";
import { unknownCursor } from "../unknown-cursor";
import { lengthOf } from "./long-answers";
import { presentPayment } from "./present";

/** What one page may be long, in characters of JSON or so. One payment is never longer. */
const LONGEST_PAGE = 20_000_000;

/**
 * Payments with their transactions, newest first. Throws `invalid_parameter` when `starting_after` is none of ours, and when the
 * page would be too long, which takes thousands of refunds.
 */
export async function listPayments(ctx: Context, query: ListPaymentsQuery): Promise<ListAnswer<Payment>> {
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const limit = query.limit ?? 20;
  const offset = query.offset ?? 0;
  const after = query.starting_after === undefined ? undefined : await cursorOf(ctx, query.starting_after);
  const filter = { ...idRange(query), status: query.status, customerId: query.customer_id };
  const counted = { filter: `payments ${JSON.stringify(filter)}`, onlyGrows: filter.status === undefined };
  const found = await withKnownTotal(ctx.service, ctx.environment.id, counted, (total) =>
    findPayments(sql, ctx.environment.id, filter, { limit, offset, after }, total),
  );
  const { rows } = found;
  if (rows === null || rows.reduce((sum, row) => sum + lengthOf(row), 0) > LONGEST_PAGE) throw tooLong(limit);
  const data = rows.map((row) => presentPayment(row.payment, row.transactions, ctx.environment.mode));
  return listAnswer(data, found, limit, offset);
}

async function cursorOf(ctx: Context, startingAfter: string): Promise<string> {
  const id = decodeId("payment", startingAfter);
  if (!id || !(await paymentExists(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, id)))
    throw unknownCursor("payment", startingAfter);
  return id;
}

const tooLong = (limit: number) =>
  new AppError(
    "invalid_parameter",
    `These ${limit} payments have so many refunds that one page of them would be too long. Ask for fewer at once.`,
    { param: "limit", readBytes: LONGEST_PAGE / 2 },
  );
