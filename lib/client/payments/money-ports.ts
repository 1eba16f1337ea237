import { ApiError, callApi, NoAnswerError } from "@/lib/client/api";
import type { KeyDetail } from "@/lib/contract/idempotency/idempotency-key";
import type { Payment } from "@/lib/contract/payments/payment";
import type { Mode } from "@/lib/contract/transactions/words";
import { bulkStore } from "./bulk-record";
import type { BulkPorts } from "./bulk-refund";
import type { MoneyAnswer, MoneyPorts } from "./money-action";
import { type Attempt, findingOf, type KeyFinding } from "./money-attempt";
import { type MoneyAction, recordStore } from "./money-record";
import { type MoneySubject, subjectOf } from "./money-subject";

/** Where an action is asked for. A refund by its charge, because that answer is the refund itself, with its id. */
const pathOf = (action: MoneyAction, paymentId: string, chargeId: string): string =>
  action === "refund" ? `/v1/transactions/${chargeId}/refund` : `/v1/payments/${paymentId}/${action}`;

/** The money ports of a browser that is signed in. `moved` is called when something has changed on the server. */
export function browserMoneyPorts(
  owner: { mode: Mode; merchantId: string },
  paymentId: string,
  moved: () => void,
): MoneyPorts {
  return {
    owner,
    moved,
    store: recordStore(window.localStorage, owner),
    read: () => readSubject(owner.mode, paymentId),
    lookUp: (key) => lookUp(owner.mode, key),
    send: ({ action, chargeId, body, key }) =>
      attempt(owner.mode, { path: pathOf(action, paymentId, chargeId), body, key }),
    newKey: newIdempotencyKey,
    now: () => Date.now(),
    wait,
    exclusively,
  };
}

export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** `crypto.randomUUID` exists only on https and localhost; its randomness everywhere. */
export function newIdempotencyKey(): string {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function readSubject(mode: Mode, paymentId: string): Promise<MoneySubject> {
  const { data } = await callApi<Payment>({ method: "GET", path: `/v1/payments/${paymentId}`, mode });
  return subjectOf(data);
}

/** The ports of a bulk refund. */
export function browserBulkPorts(
  owner: { mode: Mode; merchantId: string },
  moved: (paymentId: string) => void,
): BulkPorts {
  return {
    moved,
    store: bulkStore(window.sessionStorage, owner),
    read: (paymentId) => readPatiently(owner.mode, paymentId),
    lookUp: (key) => lookUp(owner.mode, key),
    send: ({ chargeId, body, key }) => attempt(owner.mode, { path: pathOf("refund", "", chargeId), body, key }),
    newKey: newIdempotencyKey,
    now: () => Date.now(),
    wait,
    exclusively,
  };
}

/** What became of the request with this key, without repeating it. */
async function lookUp(mode: Mode, key: string): Promise<KeyFinding> {
  try {
    const path = `/api/dashboard/${mode}/idempotency-key`;
    const { data } = await callApi<KeyDetail>({ method: "GET", path, query: { key } });
    return findingOf(data);
  } catch (error) {
    if (error instanceof ApiError && error.code === "resource_not_found") return findingOf(null);
    throw error;
  }
}

const PATIENCE = 10;

/** Many rows may ask faster than the service allows; then they wait as they are told. */
async function readPatiently(mode: Mode, paymentId: string): Promise<MoneySubject> {
  for (let times = 1; ; times++) {
    try {
      return await readSubject(mode, paymentId);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "rate_limited" || times === PATIENCE) throw error;
      await wait((error.retryAfterSeconds ?? 1) * 1_000);
    }
  }
}

/** One POST to /v1, told as an attempt. Throws what is neither a refusal nor the lack of an answer. */
async function attempt(
  mode: Mode,
  request: { path: string; body: object; key: string },
): Promise<Attempt<MoneyAnswer>> {
  try {
    const { data, status } = await callApi<MoneyAnswer>({
      method: "POST",
      path: request.path,
      mode,
      body: request.body,
      idempotencyKey: request.key,
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

/** Where the browser has no locks (http on another machine), the service's own guards stand alone. */
function exclusively<T>(paymentId: string, work: () => Promise<T>): Promise<T> {
  return navigator.locks ? navigator.locks.request(`cardlane.money.${paymentId}`, work) : work();
}
