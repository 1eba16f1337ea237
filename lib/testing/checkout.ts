import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { Database } from "@/db/client";
import { createClientSessionBody } from "@/lib/contract/checkout/client-session";
import { checkoutAttemptBody } from "@/lib/contract/checkout/endpoints";
import { AppError } from "@/lib/contract/errors";
import { cancelClientSession, createClientSession, getClientSession } from "@/lib/domain/checkout/client-sessions";
import { verifyBooks } from "@/lib/domain/reconciliation/verify-books";
import { attempt, getState } from "@/lib/http/checkout";
import { newId } from "@/lib/ids";
import { testContext } from "./factories";
import { type MoneyTenant, moneyTenant } from "./money";

export const CARD = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvv: "123" };
export const DECLINED = { ...CARD, number: "4000000000000002" };
export const CHALLENGED = { ...CARD, number: "4000000000003220" };

type Asked = { attempt?: string; card?: object; mode?: string; postal_code?: string };

/** A merchant with one session, and what its shopper can do. */
export async function openShop(db: Database, body: object = {}) {
  const tenant = await moneyTenant(db);
  const ctx = (overrides = {}) => testContext(tenant.service, tenant.merchant.test, overrides);
  const open = async (more: object = body) => {
    const input = createClientSessionBody.parse({ amount: 1_999, currency: "USD", ...more });
    const session = JSON.parse((await createClientSession(ctx(), input)).body);
    const call = {
      service: tenant.service,
      params: { token: session.client_session_token as string },
      request: { id: newId(), path: "/pay/{token}/attempts" },
      address: randomUUID(),
      cookies: null,
    };
    return {
      id: session.id as string,
      token: session.client_session_token as string,
      state: () => getState(call),
      pay: (asked: Asked = {}) =>
        attempt(call, checkoutAttemptBody.parse({ attempt: randomUUID(), card: CARD, ...asked })),
      get: () => getClientSession(ctx(), { id: session.id }),
      cancel: () => cancelClientSession(ctx(), { id: session.id }),
    };
  };
  return { tenant, open, ...(await open()) };
}

/** "ok", or the code of the refusal. */
export const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "ok",
    (error: unknown) => {
      if (error instanceof AppError) return error.code;
      throw error;
    },
  );

/** How many payments there are, and how many took or hold money. */
export const countPayments = async (db: Database, { environmentId }: MoneyTenant) => {
  const [row] = await db.sql<{ all: number; paid: number }[]>`
    select count(*)::int as all, count(*) filter (where status in ('CAPTURED', 'AUTHORIZED'))::int as paid
    from payments where environment_id = ${environmentId}`;
  return row;
};

/** Brings about what time alone would: open sessions are past theirs. */
export const expireSessions = (db: Database, { environmentId }: MoneyTenant) =>
  db.sql`update client_sessions set expires_at = now() - interval '1 second' where environment_id = ${environmentId} and status = 'OPEN'`;

export const expectCleanBooks = async (db: Database) => expect((await verifyBooks(db)).balanced).toBe(true);
