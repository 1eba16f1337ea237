import {
  type CustomerFigures,
  findCustomer,
  findCustomersOf,
  openCustomerExport,
  readCards,
  readFigures,
  type ShownCustomerRow,
  listCustomers as selectCustomers,
  noteCustomers as writeCustomers,
} from "@/db/queries/customers";
import { readDisputed } from "@/db/queries/disputes";
import type { Customer, LinkedCustomer, ListCustomersQuery } from "@/lib/contract/customers/customer";
import { TOTAL_CAP } from "@/lib/contract/fields";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { type Context, resourceNotFound, type Service } from "../context";
import { openWhole } from "../cursor-list";
import { findBySearchTerms, type ListResult, presentList, unknownCursor } from "../lists";

/** One customer. Throws `resource_not_found` for unknown, malformed and foreign ids alike. */
export async function getCustomer(ctx: Context, input: { id: string }): Promise<Customer> {
  const row = await findRow(ctx, input.id);
  if (!row) throw resourceNotFound("customer", input.id);
  const [customer] = await present(ctx, [row]);
  return customer as Customer;
}

/**
 * Customers, latest payment first. Throws `invalid_parameter` if `starting_after` is not a customer of this
 * environment.
 */
export async function listCustomers(ctx: Context, query: ListCustomersQuery): Promise<ListResult<Customer>> {
  const { limit = 20, offset = 0, starting_after, q } = query;
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const after = starting_after === undefined ? null : await findRow(ctx, starting_after);
  if (starting_after !== undefined && !after) throw unknownCursor("customer", starting_after);
  const page = { limit: limit + 1, offset, after };
  const { rows, total } = await findBySearchTerms({ q, param: "q" }, () =>
    selectCustomers(sql, ctx.environment.id, q, page, TOTAL_CAP + 1),
  );
  const data = await present(ctx, rows.slice(0, limit));
  return presentList(data, { hasMore: rows.length > limit, total }, limit, offset);
}

/** Everything that the query matches, in one snapshot of the list. `close` must be called. */
export const exportCustomers = (ctx: Context, { q }: ListCustomersQuery) =>
  openWhole(ctx, { q }, openCustomerExport, (rows) => present(ctx, rows));

type Identity = { readonly customer_id: string | null; readonly customer_email: string | null };

/**
 * A payment's or subscription's customer; null if it names none, or is so new that the job has not created the
 * customer yet.
 */
export async function findCustomerOf(ctx: Context, of: Identity): Promise<LinkedCustomer | null> {
  if (of.customer_id === null && of.customer_email === null) return null;
  const [found] = await findCustomersOf(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, [of]);
  return found ? { id: encodeId("customer", found.id), name: found.name } : null;
}

/** The known names of the rows' customers, in the rows' order. */
export async function findCustomerNames(ctx: Context, rows: readonly Identity[]): Promise<(string | null)[]> {
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const found = await findCustomersOf(sql, ctx.environment.id, rows);
  return found.map((customer) => customer?.name ?? null);
}

/** Max queued rows per statement; the rest follow in the job's next run. */
const BATCH = 1_000;

/**
 * Creates and updates the customers of new charges and subscriptions. Safe to run in several instances. Returns
 * the number of both.
 */
export function noteCustomers(service: Pick<Service, "db">): Promise<number> {
  return writeCustomers(service.db.sql, BATCH);
}

async function findRow(ctx: Context, publicId: string): Promise<ShownCustomerRow | null> {
  const id = decodeId("customer", publicId);
  return id === null ? null : findCustomer(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, id);
}

/** Cards are collected from the latest charges only, because a customer may have thousands. */
const CARD_LIMITS = { charges: 1_000, cards: 20 };

async function present(ctx: Context, rows: readonly ShownCustomerRow[]): Promise<Customer[]> {
  if (rows.length === 0) return [];
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const [figures, disputed, cards] = await Promise.all([
    readFigures(sql, ctx.environment.id, rows),
    readDisputed(sql, ctx.environment.id, rows),
    readCards(sql, ctx.environment.id, rows, CARD_LIMITS),
  ]);
  return rows.map(({ id, ...row }) => {
    const own = figures.filter(({ customer }) => customer === id);
    const sum = (of: (figure: (typeof own)[number]) => number) => own.reduce((all, figure) => all + of(figure), 0);
    return {
      id: encodeId("customer", id),
      object: "customer",
      customer_id: row.customer_id,
      email: row.email,
      name: row.name,
      first_payment_at: row.first_payment_at,
      last_payment_at: row.first_payment_at && row.last_payment_at,
      payments: sum(({ payments }) => payments),
      declined: sum(({ declined }) => declined),
      currencies: mergeCurrencies(
        own,
        disputed.filter(({ customer }) => customer === id),
      ),
      cards: cards
        .filter(({ customer }) => customer === id)
        .map(({ brand, last4, exp_month, exp_year, last_used_at }) => ({
          brand,
          last4,
          exp_month,
          exp_year,
          last_used_at,
        })),
    } as const satisfies Customer;
  });
}

/** Includes disputes without payments: a bank may dispute a payment in a different currency. */
function mergeCurrencies(
  paid: readonly CustomerFigures[],
  disputed: readonly { currency: string; disputed: number }[],
): Customer["currencies"] {
  const others = disputed.filter(({ currency }) => !paid.some((figures) => figures.currency === currency));
  return [...paid, ...others.map(({ currency }) => ({ currency, captured: 0, refunded: 0 }))].map(
    ({ currency, captured, refunded }) => ({
      currency,
      captured,
      refunded,
      net: captured - refunded,
      disputed: disputed.find((sum) => sum.currency === currency)?.disputed ?? 0,
    }),
  );
}
