import type Stripe from "stripe";
import type {
  AuthorizeRequest,
  ContinueRequest,
  InquireRequest,
  Inquiry,
  Outcome,
  OutsideRequest,
  Processor,
  VoidRequest,
} from "../port";
import type { OutsideRefund, ProcessorObject } from "../records";
import { toStripe } from "./amounts";
import {
  afterSending,
  Budget,
  failedInquiry,
  isMismatch,
  post,
  postOnceByState,
  type RequestFailure,
  toRequestFailure,
} from "./api";
import type { Customers } from "./customers";
import { movements } from "./movements";
import {
  type AuthorizationStatus,
  authorizationStatus,
  METADATA,
  TRACE,
  traceMetadata,
  wasChallenged,
} from "./outcomes";
import { unusable } from "./tokens";

const EXPAND = { expand: ["latest_charge"] };
/** Stripe has no such PaymentIntent, or it belongs to another account. */
class NotOursError extends Error {}

/** The PaymentIntent of a payment. */
function intentsOf(stripe: Stripe) {
  return {
    /** The stored PaymentIntent id; null if none was stored, so none was confirmed. */
    idOf: (objects: readonly ProcessorObject[]) => objects.find(({ kind }) => kind === "payment_intent")?.id ?? null,
    /** Throws NotOursError. */
    async retrieve(budget: Budget, id: string, account: string): Promise<Stripe.PaymentIntent> {
      const intent = await stripe.paymentIntents.retrieve(id, EXPAND, budget.options());
      if (intent.metadata[METADATA.account] !== account) throw new NotOursError();
      return intent;
    },
  };
}

type Authorizing = Pick<
  Processor,
  "authorize" | "continueAuthorization" | "capture" | "void" | "refund" | "inquire" | "close" | "listOutsideRefunds"
>;

/** Payments as PaymentIntents: created, stored, and only then confirmed. */
export function payments(
  stripe: Stripe,
  customers: Customers,
  timeoutMs: number,
  metadataKeys: readonly string[],
): Authorizing {
  const { idOf, retrieve } = intentsOf(stripe);
  const followUps = movements(stripe);

  type Named = Pick<AuthorizeRequest, "reference" | "account" | "description" | "metadata" | "trace">;
  type Money = { amount: number; currency: string };
  /**
   * Moves no money: only `authorize` confirms it. Parameters are equal for all callers, as the key requires.
   */
  const create = (budget: Budget, { reference, account, description, metadata, trace }: Named, money: Money) =>
    post(budget, `${reference}:create`, (options) =>
      stripe.paymentIntents.create(
        {
          ...money,
          allowed_payment_method_types: ["card"],
          ...(description && { description }),
          metadata: {
            ...chosen(metadata),
            ...traceMetadata(TRACE.own, trace),
            [METADATA.reference]: reference,
            [METADATA.account]: account,
          },
        },
        options,
      ),
    );
  /** Our keys override a merchant's keys of the same name. */
  const chosen = (metadata: Named["metadata"]) =>
    Object.fromEntries(metadataKeys.filter((key) => key in metadata).map((key) => [key, String(metadata[key])]));

  const confirm = (budget: Budget, id: string, request: AuthorizeRequest) =>
    post(budget, `${request.reference}:confirm`, (options) =>
      stripe.paymentIntents.confirm(
        id,
        {
          ...EXPAND,
          payment_method: request.token,
          capture_method: request.capture ? "automatic" : "manual",
          // Without the shopper, a challenge is a decline.
          ...(request.stored?.initiator === "merchant" ? { off_session: true } : { return_url: request.challengePage }),
          ...(request.store && { setup_future_usage: "off_session" }),
        },
        options,
      ),
    );

  const cancel = (budget: Budget, id: string, key: string, reason?: "abandoned") =>
    postOnceByState(budget, key, (options) =>
      stripe.paymentIntents.cancel(id, { ...EXPAND, ...(reason && { cancellation_reason: reason }) }, options),
    );

  /** The state after a failed request that may have been executed, or that its state no longer allowed. */
  async function statusAfter(
    budget: Budget,
    id: string,
    account: string,
    error: unknown,
  ): Promise<AuthorizationStatus> {
    const failure = toRequestFailure(error);
    const isDecided =
      failure.kind === "card" || failure.kind === "refused" || (failure.kind === "unknown" && failure.isOver);
    if (!isDecided) throw error;
    return authorizationStatus(await afterSending(() => retrieve(budget, id, account)));
  }

  async function authorize(request: AuthorizeRequest): Promise<Outcome> {
    const { account, token } = request;
    const money = toStripe(request.amount, request.currency);
    if (typeof money === "string") return { kind: "declined", decline_code: null, refusal: money };
    const declined = unusable(token);
    if (declined) return declined;
    const budget = new Budget(timeoutMs);
    const kept = idOf(request.objects);
    if (kept !== null) {
      const status = authorizationStatus(await retrieve(budget, kept, account));
      if (status.kind !== "unconfirmed") return asOutcome(status);
    }
    let id = kept;
    if (id === null) {
      try {
        const customer = await customerOf(budget, request);
        if (customer === null) return { kind: "declined", decline_code: null, refusal: NOT_STORED };
        id = (await create(budget, request, money)).id;
        // Before the id is stored, so that every stored PaymentIntent has its customer.
        if (customer !== undefined) await assign(budget, id, request.reference, customer);
      } catch (error) {
        // Creation moves no money, whatever its outcome.
        const failure = toRequestFailure(error);
        if (failure.kind === "refused" || failure.kind === "card") return refusedBy(failure);
        return { kind: "not_sent", reason: failure.reason };
      }
    }
    await request.keep({ kind: "payment_intent", id });
    return confirmed(budget, id, request);
  }

  /**
   * The customer at Stripe of a stored card, or one to store; undefined for other payments, null for an
   * unknown customer.
   */
  async function customerOf(budget: Budget, { account, stored, store }: AuthorizeRequest) {
    if (stored) return customers.find(account, stored.customer);
    return store && customers.findOrCreate(budget, account, store.customer);
  }

  const assign = (budget: Budget, id: string, reference: string, customer: string) =>
    postOnceByState(budget, `${reference}:customer`, (options) =>
      stripe.paymentIntents.update(id, { customer }, options),
    );

  async function confirmed(budget: Budget, id: string, request: AuthorizeRequest): Promise<Outcome> {
    try {
      return asOutcome(authorizationStatus(await confirm(budget, id, request)));
    } catch (error) {
      const status = await statusAfter(budget, id, request.account, error);
      if (status.kind !== "unconfirmed") return asOutcome(status);
      const failure = toRequestFailure(error);
      if (failure.kind !== "refused" && failure.kind !== "card") throw error;
      return refusedBy(failure);
    }
  }

  async function continueAuthorization(request: ContinueRequest): Promise<Outcome> {
    const { reference, account, challenge } = request;
    const id = idOf(request.objects);
    if (id === null) return { kind: "declined", decline_code: "authentication_failed" };
    const budget = new Budget(timeoutMs);
    // Stripe continues by itself once the shopper passes, so an unsent request proves nothing.
    const intent = await afterSending(() => retrieve(budget, id, account));
    const status = authorizationStatus(intent);
    const isOver =
      status.kind === "declined" ||
      status.kind === "unconfirmed" ||
      (status.kind === "action_required" && challenge !== "passed");
    if (!isOver || intent.status === "canceled") return asContinued(status);
    // Anyone with the shopper's return address could try another card, so a declined intent is canceled as
    // well.
    try {
      return asContinued(authorizationStatus(await afterSending(() => cancel(budget, id, reference, "abandoned"))));
    } catch (error) {
      const now = await statusAfter(budget, id, account, error);
      // It can still be confirmed; only the cancel proves that it was not.
      if (now.kind === "unconfirmed") throw error;
      return asContinued(now);
    }
  }

  async function inquire({ objects, account, kind, reference }: InquireRequest): Promise<Inquiry> {
    const id = idOf(objects);
    if (id === null) return { kind: "not_found" };
    const budget = new Budget(timeoutMs);
    const intent = await retrieve(budget, id, account);
    switch (kind) {
      case "authorize":
      case "continue": {
        const status = authorizationStatus(intent);
        if (status.kind === "unconfirmed") return { kind: "not_found" };
        if (kind === "authorize") return status;
        return wasChallenged(intent) ? asContinued(status) : { kind: "not_found" };
      }
      default:
        return followUps.find(budget, intent, kind, reference);
    }
  }

  async function close(request: Parameters<Processor["close"]>[0]): Promise<Inquiry> {
    const { account, reference } = request;
    const money = toStripe(request.amount, request.currency);
    if (typeof money === "string") return { kind: "never" };
    const budget = new Budget(timeoutMs);
    const id = idOf(request.objects) ?? (await createToClose(budget, request, money));
    if (id === null) return { kind: "never" };
    const status = authorizationStatus(await retrieve(budget, id, account));
    if (status.kind !== "unconfirmed") return status;
    try {
      return known(authorizationStatus(await cancel(budget, id, `${reference}:close`)));
    } catch (error) {
      return known(await statusAfter(budget, id, account, error));
    }
  }

  /**
   * Creates the intent for a reference, or returns the existing one. Null if the key permanently returns an
   * error, so nothing can ever be created or confirmed.
   */
  async function createToClose(budget: Budget, named: Named, money: Money): Promise<string | null> {
    try {
      return (await create(budget, named, money)).id;
    } catch (error) {
      const failure = toRequestFailure(error);
      if (failure.kind === "refused" || (failure.kind === "unknown" && failure.isOver && !isMismatch(error)))
        return null;
      throw error;
    }
  }

  async function follow(kind: "capture" | "void" | "refund", request: VoidRequest): Promise<Outcome> {
    const money = toStripe(request.amount, request.currency);
    if (typeof money === "string") return { kind: "declined", decline_code: null, refusal: money };
    const id = idOf(request.objects);
    if (id === null) return { kind: "declined", decline_code: null, note: "the payment has no PaymentIntent" };
    const budget = new Budget(timeoutMs);
    const intent = await retrieve(budget, id, request.account);
    if (intent.currency !== money.currency)
      return { kind: "declined", decline_code: null, note: `the PaymentIntent is in ${intent.currency.toUpperCase()}` };
    return followUps[kind](budget, intent, request, money);
  }

  async function listOutsideRefunds({ account, objects }: OutsideRequest): Promise<OutsideRefund[]> {
    const id = idOf(objects);
    if (id === null) return [];
    const budget = new Budget(timeoutMs);
    // Throws for another account's intent, which has nothing to do with this payment.
    await retrieve(budget, id, account);
    return followUps.outside(budget, id);
  }

  const notOurs = { kind: "declined", decline_code: null, note: "no PaymentIntent of this account" } as const;
  return {
    authorize: (request) =>
      answered(() => authorize(request), { kind: "unknown", reason: "another account's payment" }),
    continueAuthorization: (request) => answered(() => continueAuthorization(request), notOurs),
    capture: (request) => answered(() => follow("capture", request), notOurs),
    void: (request) => answered(() => follow("void", request), notOurs),
    refund: (request) => answered(() => follow("refund", request), notOurs),
    inquire: (request) => answered(() => inquire(request), { kind: "not_found" }),
    listOutsideRefunds,
    close: (request) => answered(() => close(request), { kind: "unknown", reason: "another account's payment" }),
  };
}

const NOT_STORED = "Stripe has no stored card of this customer.";

/** A request that Stripe refused before any issuer saw it, or a refused card. */
function refusedBy(failure: Extract<RequestFailure, { kind: "refused" | "card" }>): Outcome {
  const { note } = failure;
  return failure.kind === "refused"
    ? { kind: "declined", decline_code: null, note, refusal: failure.refusal }
    : { kind: "declined", decline_code: "processing_error", note };
}

/** The result of a call, or what is known without one. Rethrows errors that are not about a request. */
async function answered<T extends Inquiry>(
  call: () => Promise<T>,
  notOurs: T,
): Promise<T | Extract<Inquiry, { kind: "not_sent" | "unknown" }>> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof NotOursError) return notOurs;
    return failedInquiry(toRequestFailure(error));
  }
}

/** For an authorization: closed before it was executed. */
function asOutcome(status: AuthorizationStatus): Outcome {
  if (status.kind === "never") return { kind: "not_sent", reason: "it was canceled before it was confirmed" };
  if (status.kind === "unconfirmed") return { kind: "unknown", reason: "Stripe has not confirmed it" };
  return status;
}

/** For the end of a challenge: one that was canceled was not passed. */
function asContinued(status: AuthorizationStatus): Outcome {
  if (status.kind === "never" || status.kind === "unconfirmed")
    return {
      kind: "declined",
      decline_code: "authentication_failed",
      note: "canceled before its challenge was passed",
    };
  return status;
}

function known(status: AuthorizationStatus): Inquiry {
  return status.kind === "unconfirmed" ? { kind: "unknown", reason: "Stripe has not canceled it yet" } : status;
}
