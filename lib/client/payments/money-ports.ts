import { ApiError, callApi, NoResponseError } from "@/lib/client/api";
import { APPROVAL_REQUIRED } from "@/lib/contract/approvals/words";
import type { KeyDetail } from "@/lib/contract/idempotency/idempotency-key";
import type { Mode } from "@/lib/contract/transactions/words";
import type { MoneyPorts, MoneyResponse } from "./money-action";
import { type Attempt, findingOf, type KeyFinding } from "./money-attempt";
import { type MoneyAction, type MoneyBody, type MoneyRecord, recordStore } from "./money-record";
import { type MoneySubject, subjectOf } from "./money-subject";

/** The merchant whose payments are acted on, and the request headers for that. */
export type MoneyAccess = {
  owner: Pick<MoneyRecord, "mode" | "merchantId">;
  findKey: (key: string) => Promise<{ data: KeyDetail }>;
  mode?: Mode;
  headers?: Record<string, string>;
  /** Sent in addition to `headers` with requests that move money. */
  moneyHeaders?: () => Record<string, string>;
};

/** Access for the signed-in merchant. */
export const merchantAccess = (mode: Mode, merchantId: string): MoneyAccess => ({
  owner: { mode, merchantId },
  findKey: (key) => callApi("GET /api/dashboard/{mode}/idempotency-key", { params: { mode }, query: { key } }),
  mode,
});

export type StaffMoney = {
  mode: Mode;
  /** `mer_…` and `env_…`. */
  merchantId: string;
  environmentId: string;
  paymentId: string;
};

/** The staff member's reason, stored with the request so that a retry after a reload gives the same one. */
const reasonName = (paymentId: string) => `cardlane.staff-reason.${paymentId}`;

export const keepStaffReason = (paymentId: string, reason: string): void =>
  window.localStorage.setItem(reasonName(paymentId), reason);

/**
 * Access for staff on a merchant's behalf: the merchant's own routes, with environment and reason as headers.
 */
export const staffAccess = ({ mode, merchantId, environmentId, paymentId }: StaffMoney): MoneyAccess => ({
  owner: { mode, merchantId: `staff.${merchantId}` },
  findKey: (key) =>
    callApi("GET /api/support/environments/{id}/idempotency-key", { params: { id: environmentId }, query: { key } }),
  headers: { "X-Cardlane-Environment": environmentId },
  // Header values are Latin-1.
  moneyHeaders: () => ({
    "X-Cardlane-Reason": encodeURIComponent(window.localStorage.getItem(reasonName(paymentId)) ?? ""),
  }),
});

/**
 * Endpoint of an action. A refund goes to its charge, because that response is the refund itself, with its
 * id.
 */
export const placeOf = (action: MoneyAction, paymentId: string, chargeId: string) =>
  action === "refund"
    ? ({ address: "POST /v1/transactions/{id}/refund", params: { id: chargeId } } as const)
    : ({ address: `POST /v1/payments/{id}/${action}`, params: { id: paymentId } } as const);

export const moneyRecords = ({ owner }: MoneyAccess) => recordStore(window.localStorage, owner);

/** `onChange`: something has changed on the server. */
export function browserMoneyPorts(access: MoneyAccess, paymentId: string, onChange: () => void): MoneyPorts {
  return {
    ...portsOf(access),
    owner: access.owner,
    onChange,
    store: moneyRecords(access),
    read: () => readSubject(access, paymentId),
    send: ({ action, chargeId, body, key }) =>
      attempt(access, placeOf(action, paymentId, chargeId), { body, idempotencyKey: key }),
  };
}

export const portsOf = (access: MoneyAccess) => ({
  lookUp: (key: string) => lookUp(access, key),
  newKey: newIdempotencyKey,
  now: () => Date.now(),
  wait,
  exclusively,
});

/** Without browser locks (http on another machine), only the service's own guards apply. */
export const exclusively = <T>(subject: string, work: () => Promise<T>): Promise<T> =>
  navigator.locks ? navigator.locks.request(`cardlane.money.${subject}`, work) : work();

export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** `crypto.randomUUID` exists only on https and localhost; `getRandomValues` everywhere. */
export function newIdempotencyKey(): string {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export async function readSubject({ mode, headers }: MoneyAccess, paymentId: string): Promise<MoneySubject> {
  const call = { mode, headers: { ...headers }, params: { id: paymentId } };
  return subjectOf((await callApi("GET /v1/payments/{id}", call)).data);
}

/** State of the request with this key, without repeating it. */
async function lookUp({ findKey }: MoneyAccess, key: string): Promise<KeyFinding> {
  try {
    return findingOf((await findKey(key)).data);
  } catch (error) {
    if (error instanceof ApiError && error.code === "resource_not_found") return findingOf(null);
    throw error;
  }
}

/** Sends one POST to /v1 that moves a payment's money, as an attempt. */
export function attempt(
  { mode, headers, moneyHeaders }: MoneyAccess,
  { address, params }: ReturnType<typeof placeOf>,
  request: { body: MoneyBody; idempotencyKey: string },
): Promise<Attempt<MoneyResponse>> {
  return toAttempt(() => callApi(address, { ...request, params, mode, headers: { ...headers, ...moneyHeaders?.() } }));
}

/** A call of the API as an attempt. Throws errors that are neither a refusal nor a missing response. */
export async function toAttempt<Data>(call: () => Promise<{ data: Data; status: number }>): Promise<Attempt<Data>> {
  try {
    const { data, status } = await call();
    return { kind: "answered", status, data };
  } catch (error) {
    if (error instanceof NoResponseError) return { kind: "no_answer" };
    if (!(error instanceof ApiError)) throw error;
    const { status, code, detail, param, errors, requestId, retryAfterSeconds } = error;
    const retryAfterMs = retryAfterSeconds === null ? null : retryAfterSeconds * 1_000;
    const refusal = { status, code, detail, param, errors, requestId };
    const needsApproval = error.body[APPROVAL_REQUIRED] === true && { needsApproval: true as const };
    return { kind: "refused", ...refusal, ...needsApproval, retryAfterMs };
  }
}
