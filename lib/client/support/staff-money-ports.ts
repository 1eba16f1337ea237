import { ApiError, callApi, NoAnswerError } from "@/lib/client/api";
import type { MoneyAnswer, MoneyPorts } from "@/lib/client/payments/money-action";
import { type Attempt, findingOf } from "@/lib/client/payments/money-attempt";
import { newIdempotencyKey, wait } from "@/lib/client/payments/money-ports";
import { recordStore } from "@/lib/client/payments/money-record";
import { subjectOf } from "@/lib/client/payments/money-subject";
import type { KeyDetail } from "@/lib/contract/idempotency/idempotency-key";
import type { Payment } from "@/lib/contract/payments/payment";
import type { Mode } from "@/lib/contract/transactions/words";

export type StaffMoney = {
  mode: Mode;
  /** `mer_…` and `env_…`. */
  merchantId: string;
  environmentId: string;
  paymentId: string;
};

/** Why staff act, beside the record of what was sent: a retry after a reload gives the same reason. */
const reasonName = (paymentId: string) => `cardlane.staff-reason.${paymentId}`;

export const keepStaffReason = (paymentId: string, reason: string): void =>
  window.localStorage.setItem(reasonName(paymentId), reason);

/** The ports of a refund on a merchant's behalf: the merchant's own routes, with the environment and the reason named. */
export function staffMoneyPorts(money: StaffMoney, moved: () => void): MoneyPorts {
  const owner = { mode: money.mode, merchantId: `staff.${money.merchantId}` };
  const environment = { "X-Cardlane-Environment": money.environmentId };
  return {
    owner,
    moved,
    store: recordStore(window.localStorage, owner),
    async read() {
      const path = `/v1/payments/${money.paymentId}`;
      return subjectOf((await callApi<Payment>({ method: "GET", path, headers: environment })).data);
    },
    async lookUp(key) {
      const path = `/api/support/environments/${money.environmentId}/idempotency-key`;
      try {
        return findingOf((await callApi<KeyDetail>({ method: "GET", path, query: { key } })).data);
      } catch (error) {
        if (error instanceof ApiError && error.code === "resource_not_found") return findingOf(null);
        throw error;
      }
    },
    send: ({ chargeId, body, key }) =>
      attempt({
        path: `/v1/transactions/${chargeId}/refund`,
        body,
        key,
        headers: {
          ...environment,
          // Header values are Latin-1.
          "X-Cardlane-Reason": encodeURIComponent(window.localStorage.getItem(reasonName(money.paymentId)) ?? ""),
        },
      }),
    newKey: newIdempotencyKey,
    now: () => Date.now(),
    wait,
    exclusively: (paymentId, work) =>
      navigator.locks ? navigator.locks.request(`cardlane.money.${paymentId}`, work) : work(),
  };
}

async function attempt(request: {
  path: string;
  body: object;
  key: string;
  headers: Record<string, string>;
}): Promise<Attempt<MoneyAnswer>> {
  try {
    const { data, status } = await callApi<MoneyAnswer>({
      method: "POST",
      path: request.path,
      body: request.body,
      idempotencyKey: request.key,
      headers: request.headers,
    });
    return { kind: "answered", status, data };
  } catch (error) {
    if (error instanceof NoAnswerError) return { kind: "no_answer" };
    if (!(error instanceof ApiError)) throw error;
    const { status, code, detail, param, errors, requestId, retryAfterSeconds } = error;
    const retryAfterMs = retryAfterSeconds === null ? null : retryAfterSeconds * 1_000;
    return { kind: "refused", status, code, detail, param, errors, requestId, retryAfterMs };
  }
}
