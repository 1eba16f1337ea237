import { listConnections } from "@/db/queries/processors/connections";
import { listNextArrivals, listReturnedCurrencies, readFee } from "@/db/queries/settlement/payouts";
import { encodeId } from "@/lib/contract/ids";
import type { CurrencyBalance } from "@/lib/contract/settlement/balance";
import { type Context, environmentNow } from "../context";
import { bankDayAfter } from "./bank-days";
import { SETTLEMENT_HOUR } from "./settle";

/** The next payout in a currency. Amounts in minor units; days are "2026-11-21". */
export type NextPayout = { currency: string; amount: number } & (
  | { state: "created"; arrival_date: string; payout_ids: string[] }
  /** Today's balance, as the next settlement would pay it out. */
  | { state: "expected"; arrival_date: string }
  /** A failed payout's money, which waits for a retry or for the next settlement. */
  | { state: "returned" }
  /** Nothing is left to pay out, or refunds exceed it. */
  | { state: "none" }
);

const HOUR_MS = 3_600_000;

/** One for each currency of the balance. Empty in live mode, where the processor pays out. */
export async function listNextPayouts(ctx: Context, balances: readonly CurrencyBalance[]): Promise<NextPayout[]> {
  if (ctx.environment.mode === "live") return [];
  const { id } = ctx.environment;
  const { sql } = ctx.service.db.within(id);
  const [arrivals, returned] = await Promise.all([listNextArrivals(sql, id), listReturnedCurrencies(sql, id)]);
  const settlesOn = settlementDayAfter(environmentNow(ctx));
  return balances.map(({ currency, pending, available }) => {
    const arrival = arrivals.find((each) => each.currency === currency);
    if (arrival) {
      const { amount, arrival_date } = arrival;
      const payout_ids = arrival.payout_ids.map((payoutId) => encodeId("payout", payoutId));
      return { currency, state: "created", amount, arrival_date, payout_ids };
    }
    const amount = pending + available;
    if (amount <= 0) return { currency, state: "none", amount };
    // Only a new batch is paid out by itself.
    if (pending === 0 && returned.includes(currency)) return { currency, state: "returned", amount };
    return { currency, state: "expected", amount, arrival_date: bankDayAfter(settlesOn, currency) };
  });
}

/** Display names of the processors that pay the merchant out themselves. None in test mode, or without a connection. */
export async function listPayingProcessors(ctx: Context): Promise<string[]> {
  const { environment, service } = ctx;
  if (environment.mode === "test") return [];
  const rows = await listConnections(service.db.within(environment.id).orm, environment.id);
  const connected = rows.filter(({ status }) => status === "CONNECTED");
  const names = connected.map(({ processor }) => service.connectors.find(({ key }) => key === processor)?.label);
  return [...new Set(names.filter((name) => name !== undefined))].toSorted();
}

/** UTC day of the next nightly settlement. */
const settlementDayAfter = (now: Date): string =>
  new Date(now.getTime() + (24 - SETTLEMENT_HOUR) * HOUR_MS).toISOString().slice(0, 10);

/** Cardlane's fee on each captured amount of the environment, in basis points. */
export const getFee = (ctx: Context): Promise<number> =>
  readFee(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id);
