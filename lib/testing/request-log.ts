import type { Database, Sql } from "@/db/client";
import { encodeId } from "@/lib/contract/ids";
import { createPayment, getPayment } from "@/lib/contract/payments/endpoints";
import { getRequest, listRequests } from "@/lib/domain/request-log/read-requests";
import { createRequestLog, type NotedRequest } from "@/lib/http/request-log";
import { newId } from "@/lib/ids";
import { testTenant } from "./factories";

/** Somebody whose role has everything. */
export const seesAll = () => true;

/** A merchant with a log of its own and requests to note there. `given`: where it writes to in place of the database. */
export async function requestLogTenant(db: Database, given?: Sql) {
  const tenant = await testTenant(db);
  const sql = given ?? tenant.service.db.sql;
  const warnings: object[] = [];
  const log = createRequestLog({ db: { sql }, log: { warn: (details) => warnings.push(details) } });
  const caller = {
    actor: { type: "api_key" as const, id: newId() },
    limitKey: "-",
    environment: tenant.merchant.test,
    permissions: new Set<never>(),
    verified: true,
  };
  const refusal = (over: Partial<NotedRequest> = {}): NotedRequest => ({
    ...{ id: newId(), path: "/v1/payments/pay_1", endpoint: getPayment, method: "GET", caller, status: 404 },
    ...{ search: "", pathId: "pay_1", durationMs: 3.4, idempotencyKey: null, replayed: false, sent: undefined },
    answer: {
      text: JSON.stringify({ code: "resource_not_found", detail: "There is no payment 'pay_1'.", param: null }),
    },
    ...{ address: "192.0.2.1", userAgent: "shop/1", bytes: 200 },
    ...over,
  });
  const payment = (over: Partial<NotedRequest> = {}) =>
    refusal({
      ...{ endpoint: createPayment, method: "POST", path: "/v1/payments", pathId: null, status: 201 },
      ...{ sent: { amount: 4_999, currency: "USD" }, answer: { value: { object: "payment", amount: 4_999 } } },
      ...over,
    });
  const ctx = { service: tenant.service, environment: tenant.merchant.test };
  const list = async (query = {}) => (await listRequests(ctx, query, 100)).requests;
  const detail = (id: string) => getRequest(ctx, { id: encodeId("request", id), can: seesAll });
  return { ...tenant, log, refusal, payment, warnings, caller, ctx, list, detail };
}
