/** Money moves over MCP only after the assistant's user has confirmed exactly this operation. */
import { type InputRequiredResult, inputRequired, inputResponse } from "@modelcontextprotocol/server";
import { configure } from "safe-stable-stringify";
import { isDisputed } from "@/lib/contract/disputes/statuses";
import type { Endpoint } from "@/lib/contract/endpoint";
import { AppError } from "@/lib/contract/errors";
import { cardText, fullTimeText, moneyTextWithCode, relativeTimeText } from "@/lib/contract/format";
import { getPayment } from "@/lib/contract/payments/endpoints";
import type { CreatePaymentBody, Payment, RefundBody } from "@/lib/contract/payments/payment";
import { SANDBOX_CARDS } from "@/lib/contract/sandbox-cards";
import { getTransaction } from "@/lib/contract/transactions/endpoints";
import type { Transaction } from "@/lib/contract/transactions/transaction";
import type { Action } from "@/lib/contract/transactions/words";
import { refusalByDispute } from "@/lib/domain/payments/follow-up";
import { authorize } from "@/lib/http/caller";
import { newId } from "@/lib/ids";
import { disputeQuestion } from "./dispute-questions";
import {
  type Call,
  callEndpoint,
  checkBody,
  type EndpointInput,
  type EndpointResponse,
  endpointResult,
  errorResult,
  invalid,
  type storedResponse,
} from "./endpoint-calls";
import { billingQuestion, type Question } from "./subscription-questions";

/**
 * Far below the 24 hours that an idempotency key lives, so a late confirmation never meets an expired key.
 */
const LIFETIME_MS = 10 * 60_000;
const PURPOSE = "mcp-confirmation";
export const FIELD = "confirm";

/**
 * Signed content of a question: the idempotency key that a confirmation uses, the exact amount, and the
 * expiry.
 */
type QuestionState = { readonly key: string; readonly amount: number | null; readonly until: number };

/** State of the confirmation: the client's ability to show a question, and the user's response to one. */
export type Confirmation = {
  readonly canAsk: boolean;
  readonly state?: string | undefined;
  readonly replies?: Readonly<Record<string, unknown>> | undefined;
  /** Reads the outcome of a confirmed operation instead of running it. Allowed after the expiry, too. */
  readonly lookUp?: typeof storedResponse;
};

const stableStringify = configure({ deterministic: true });

/** True for operations that move money, which need a confirmation. */
export const movesMoney = ({ idempotency }: Pick<Endpoint, "idempotency">): boolean => idempotency === "required";

/**
 * Asks the user or, with their response, runs the operation under the key that was created with the question.
 * Stateless: the client sends the question's state back, with our signature.
 */
export async function moveMoney(
  call: Call,
  { canAsk, state, replies, lookUp }: Confirmation,
  endpoint: Endpoint,
  input: EndpointInput,
): Promise<ReturnType<typeof endpointResult> | InputRequiredResult> {
  authorize(call.caller, endpoint);
  refuseRawCard(call, input);
  if (!canAsk) return errorResult(cannotAsk(call, input.id));
  const body = (await checkBody(call, endpoint, input)) as Readonly<Record<string, unknown>>;
  if (state === undefined) return askUser(call, endpoint, input, body);

  const question = readState(call, endpoint, input, state);
  const isLate = question !== null && call.http.service.clock.now().getTime() >= question.until;
  if (question === null || (isLate && !lookUp)) return errorResult(REFUSALS.expired);
  const reply = inputResponse(replies, FIELD);
  const isYes = reply.kind === "elicit" && reply.action === "accept" && reply.content?.[FIELD] === true;
  if (!isYes) return errorResult(declined(call, input.id, question));
  const exact = question.amount === null ? input : { ...input, body: { ...input.body, amount: question.amount } };
  return endpointResult(call, endpoint, await (lookUp ?? callEndpoint)(call, endpoint, exact, question.key));
}

const REFUSALS = {
  expired: {
    code: "confirmation_expired",
    detail:
      "This confirmation is older than ten minutes, or was given for something else, so this call did nothing. Check the current state, then call the tool again.",
  },
} as const;

/**
 * No user reads a question within this time: such a refusal usually comes from a client that shows no forms.
 */
const UNREAD_MS = 2_000;

function declined(call: Call, id: string | undefined, { until }: QuestionState) {
  const tookMs = call.http.service.clock.now().getTime() - (until - LIFETIME_MS);
  const detail =
    tookMs < UNREAD_MS
      ? `The question was declined within two seconds, so your user may not have seen it. Nothing was done, and asking again would end the same. Your user can do it in the dashboard: ${dashboardPage(call, id)}`
      : "Your user did not confirm, so nothing was done. Don't ask again unless they want you to.";
  return { code: "confirmation_declined", detail };
}

const DASHBOARD_FOLDERS: Readonly<Record<string, string>> = {
  pay: "payments",
  txn: "transactions",
  sub: "subscriptions",
  inv: "invoices",
  dp: "disputes",
};

function dashboardPage({ http, caller }: Call, id: string | undefined): string {
  const [, kind = ""] = /^(\w{2,3})_\w+$/.exec(id ?? "") ?? [];
  const folder = DASHBOARD_FOLDERS[kind];
  const page = folder ? `/${caller.environment.mode}/${folder}/${id}` : "";
  return http.service.baseUrl + page;
}

const cannotAsk = (call: Call, id: string | undefined) => ({
  code: "confirmation_unavailable",
  detail: `Your user has to confirm what moves money, and this client cannot ask them: it needs forms (elicitation). Nothing was done. Your user can do it in the dashboard: ${dashboardPage(call, id)}. A server can use the API under /v1.`,
});

/** A card number in an assistant's context stays with its provider. The sandbox's test numbers are public. */
function refuseRawCard({ caller }: Call, { body }: EndpointInput): void {
  const card = body?.card;
  if (card === undefined) return;
  const number = typeof card === "object" && card !== null && "number" in card ? card.number : null;
  const digits = typeof number === "string" ? number.replace(/[ -]/g, "") : "";
  if (caller.environment.mode === "test" && SANDBOX_CARDS.some((known) => known.number === digits)) return;
  throw invalid(
    "card",
    "Never give a card number to an assistant. Pay with a payment_token of the payment form; in test mode a test card works, too.",
  );
}

async function askUser(
  call: Call,
  endpoint: Endpoint,
  input: EndpointInput,
  body: Readonly<Record<string, unknown>>,
): Promise<ReturnType<typeof endpointResult> | InputRequiredResult> {
  const question =
    (await billingQuestion(call, endpoint, input, body)) ??
    (await disputeQuestion(call, endpoint, input)) ??
    (endpoint.path.includes("{id}")
      ? await questionAbout(call, endpoint, input, body as RefundBody)
      : { text: paymentQuestion(body as CreatePaymentBody), amount: null, button: "Yes, charge the card" });
  if ("status" in question) return endpointResult(call, endpoint, question);
  const { http, caller } = call;
  const next: QuestionState = {
    key: `mcp-${newId()}`,
    amount: question.amount,
    until: http.service.clock.now().getTime() + LIFETIME_MS,
  };
  const where =
    caller.environment.mode === "live" ? "Live mode: this is real money." : "Test mode: no real money moves.";
  return inputRequired({
    inputRequests: {
      [FIELD]: inputRequired.elicit({
        message: `${question.text} ${where}`,
        requestedSchema: {
          type: "object",
          properties: { [FIELD]: { type: "boolean", title: question.button, default: false } },
          required: [FIELD],
        },
      }),
    },
    requestState: stateOf(call, endpoint, input, next),
  });
}

/**
 * The question for an operation on an existing payment. It has no text by customers, which could mislead the
 * user.
 */
async function questionAbout(
  call: Call,
  endpoint: Endpoint,
  { id }: EndpointInput,
  { amount: wanted, acknowledge_dispute: acknowledged = false }: RefundBody,
): Promise<Question | EndpointResponse> {
  const action = endpoint.path.slice(endpoint.path.lastIndexOf("/") + 1) as Action;
  const response = await callEndpoint(call, endpoint.path.startsWith("/v1/payments/") ? getPayment : getTransaction, {
    id,
  });
  if (response.status >= 400) return response;
  const found = response.data as Payment | Transaction;
  const max = action === "refund" ? found.amount_refundable : capturableOf(found);
  const disputed = action === "refund" ? refusalByDispute(found.dispute, acknowledged) : null;
  if (disputed) throw disputed;
  requirePossible(found, action, wanted ?? max, max);
  const money = (amount: number) => moneyTextWithCode(amount, found.currency);
  const what = `${found.object} ${found.id} (${cardOf(found)}, ${money(found.amount)}, ${fullTimeText(new Date(found.created_at), "UTC")})`;
  const amount = wanted ?? max;
  switch (action) {
    case "refund": {
      const risk = isDisputed(found.dispute?.status ?? null)
        ? " The cardholder's bank disputes this payment: if it decides for the cardholder, you pay twice."
        : "";
      return {
        text: `Refund ${money(amount)} of ${what}?${await earlierRefund(call, found)} The money goes back to the card, and a refund can't be undone.${risk}`,
        amount,
        button: `Yes, refund ${money(amount)}`,
      };
    }
    case "capture": {
      const rest = amount < max ? ` The other ${money(max - amount)} of the hold is released for good.` : "";
      return {
        text: `Capture ${money(amount)} of ${what}? The card is charged, which can only be refunded later.${rest}`,
        amount,
        button: `Yes, capture ${money(amount)}`,
      };
    }
    case "void":
      return {
        text: `Void ${what}? The hold of ${money(max)} is released, and this payment can never be captured again.`,
        amount: null,
        button: "Yes, void it",
      };
    default:
      return action satisfies never;
  }
}

/** A repeated refund is an easy mistake, so the question mentions the latest refund within this time. */
const RECENT_MS = 24 * 3_600_000;

async function earlierRefund(call: Call, found: Payment | Transaction): Promise<string> {
  if (found.amount_refunded === 0) return "";
  const payment = found.object === "payment" ? found : await paymentOf(call, found.payment_id);
  const now = call.http.service.clock.now();
  const last = payment?.transactions.findLast(
    ({ type, status }) => type === "REFUND" && status !== "FAILED" && status !== "DECLINED",
  );
  if (!last || now.getTime() - Date.parse(last.created_at) > RECENT_MS) return "";
  const when = relativeTimeText(new Date(last.created_at), now);
  return ` Already refunded: ${moneyTextWithCode(last.amount, last.currency)}, ${when}.`;
}

async function paymentOf(call: Call, id: string): Promise<Payment | null> {
  const response = await callEndpoint(call, getPayment, { id });
  return response.status < 400 ? (response.data as Payment) : null;
}

const capturableOf = (found: Payment | Transaction): number =>
  found.object === "payment" ? found.amount_capturable : found.status === "AUTHORIZED" ? found.amount : 0;

function cardOf(found: Payment | Transaction): string {
  if (found.object === "transaction") return cardText(found.card_brand, found.card_last4);
  return cardText(found.card?.brand ?? null, found.card?.last4 ?? null);
}

/**
 * Refuses before the question what the operation would refuse. Later changes are refused by the operation
 * itself.
 */
function requirePossible(found: Payment | Transaction, action: Action, amount: number, max: number): void {
  const { status: current_status, available_actions: allowed_actions } = found;
  if (!allowed_actions.includes(action)) {
    throw new AppError(
      "invalid_state",
      `The ${found.object} is ${current_status}, so it has no ${action}. Possible now: ${allowed_actions.join(", ") || "nothing"}.`,
      { extra: { current_status, allowed_actions } },
    );
  }
  if (action === "void" || amount <= max) return;
  throw new AppError(
    action === "refund" ? "amount_exceeds_refundable" : "amount_exceeds_capturable",
    `At most ${max} (${moneyTextWithCode(max, found.currency)}) is left to ${action}.`,
    { extra: { remaining: max } },
  );
}

function paymentQuestion({ amount, currency, card, capture_method }: CreatePaymentBody): string {
  const money = moneyTextWithCode(amount, currency);
  const source = card ? `the test card ending in ${card.number.slice(-4)}` : "the card behind the payment token";
  return capture_method === "manual"
    ? `Hold ${money} on ${source}? The hold blocks the customer's money until it is captured or voided.`
    : `Charge ${money} to ${source}? A charge can't be undone, only refunded.`;
}

/**
 * The text that is signed: bound to one key, one environment and exactly these arguments, which come with
 * every call.
 */
function signedText({ caller }: Call, endpoint: Endpoint, input: EndpointInput, payload: string): string {
  const { id, body, query } = input;
  return stableStringify([caller.environment.id, caller.actor.id, endpoint.name, { id, body, query }, payload]) ?? "";
}

function stateOf(call: Call, endpoint: Endpoint, input: EndpointInput, content: QuestionState): string {
  const payload = Buffer.from(JSON.stringify(content)).toString("base64url");
  return `${payload}.${call.http.service.secret.mac(PURPOSE, signedText(call, endpoint, input, payload))}`;
}

/** The content of a state that we have signed; its signature is not checked here. */
export const decodeState = (state: string): QuestionState =>
  JSON.parse(Buffer.from(state.split(".", 1)[0] ?? "", "base64url").toString()) as QuestionState;

/** Null if the state is not ours, or is for another operation. */
function readState(call: Call, endpoint: Endpoint, input: EndpointInput, state: string): QuestionState | null {
  const { secret } = call.http.service;
  const [payload = "", mac = "", ...rest] = state.split(".");
  if (rest.length > 0 || !secret.isMac(PURPOSE, signedText(call, endpoint, input, payload), mac)) return null;
  return decodeState(state);
}
