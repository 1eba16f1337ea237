import type Stripe from "stripe";
import type { ContinueStoringRequest, KnownCard, StoreCardOutcome, StoreCardRequest, StoredCard } from "../cards";
import type { Journal } from "../journal";
import type { Processor } from "../port";
import { isMissing } from "./account";
import { afterSending, Budget, postOnceByState, toRequestFailure } from "./api";
import { declineCodeOf, knownCard, METADATA } from "./outcomes";
import { unusable } from "./tokens";

export type Customers = ReturnType<typeof createCustomers>;

/**
 * Customers at Stripe, one for each of ours, without personal data. The journal keeps their ids, because
 * Stripe keeps idempotency keys for only a day and can't list customers by our id.
 */
export function createCustomers(stripe: Stripe, journal: Journal) {
  const subjectOf = (account: string, customer: string) => `customer ${account} ${customer}`;
  const CUSTOMER = "customer";

  async function find(account: string, customer: string): Promise<string | null> {
    const { [CUSTOMER]: id } = await journal.of(subjectOf(account, customer));
    return typeof id === "string" ? id : null;
  }

  return {
    find,
    async findOrCreate(budget: Budget, account: string, customer: string): Promise<string> {
      const known = await find(account, customer);
      if (known !== null) return known;
      const metadata = { [METADATA.account]: account, [METADATA.customer]: customer };
      const { id } = await postOnceByState(budget, `customer:${account}:${customer}`, (options) =>
        stripe.customers.create({ metadata }, options),
      );
      return journal.note(subjectOf(account, customer), CUSTOMER, id);
    },
  };
}

const EXPAND = { expand: ["payment_method"] };
const ID = /^seti_\w{1,200}$/;

/** Cards stored without a payment, as SetupIntents. */
export function cardStore(stripe: Stripe, customers: Customers, timeoutMs: number) {
  const { setupIntents, paymentMethods } = stripe;

  async function storeCard(request: StoreCardRequest): Promise<StoreCardOutcome> {
    const { reference, account, customer, token } = request;
    const declined = unusable(token);
    if (declined) return declined;
    const budget = new Budget(timeoutMs);
    const parameters: Stripe.SetupIntentCreateParams = {
      ...EXPAND,
      customer: await customers.findOrCreate(budget, account, customer),
      payment_method: token,
      allowed_payment_method_types: ["card"],
      usage: "off_session",
      confirm: true,
      return_url: request.challengePage,
      metadata: { [METADATA.reference]: reference, [METADATA.account]: account, [METADATA.customer]: customer },
    };
    // A second SetupIntent after a stored error moves no money either, and stores the same card.
    const created = await postOnceByState(budget, `${reference}:store`, (options) =>
      setupIntents.create(parameters, options),
    );
    // A repeated key returns the first response.
    return outcomeOf(created.status === "requires_action" ? await retrieve(budget, created.id) : created);
  }

  const retrieve = (budget: Budget, id: string) => setupIntents.retrieve(id, EXPAND, budget.options());

  async function continueStoring(request: ContinueStoringRequest): Promise<StoreCardOutcome> {
    const { reference, account, customer, pending, challenge } = request;
    const nothing = { kind: "declined", decline_code: null } as const;
    if (!ID.test(pending)) return nothing;
    const budget = new Budget(timeoutMs);
    const intent = await retrieve(budget, pending);
    const { [METADATA.account]: owner, [METADATA.customer]: ofCustomer } = intent.metadata ?? {};
    if (owner !== account || ofCustomer !== customer) return nothing;
    const isOver = intent.status === "succeeded" || intent.status === "canceled" || intent.status === "processing";
    if (isOver || (intent.status === "requires_action" && challenge === "passed")) return outcomeOf(intent);
    // Anyone with the shopper's return address could try another card, so a failed check is canceled as well.
    try {
      return outcomeOf(
        await postOnceByState(budget, `${reference}:cancel`, (options) =>
          setupIntents.cancel(pending, { ...EXPAND, cancellation_reason: "abandoned" }, options),
        ),
      );
    } catch (error) {
      if (toRequestFailure(error).kind !== "refused") throw error;
      return outcomeOf(await afterSending(() => retrieve(budget, pending)));
    }
  }

  /** Rejects if Stripe may still have the card. */
  async function removeCard(account: string, { token, customer }: StoredCard): Promise<void> {
    const owner = unusable(token) ? null : await customers.find(account, customer);
    if (owner === null) return;
    const budget = new Budget(timeoutMs);
    const isStored = async () => {
      try {
        return idOf((await paymentMethods.retrieve(token, {}, budget.options())).customer) === owner;
      } catch (error) {
        if (isMissing(error)) return false;
        throw error;
      }
    };
    if (!(await isStored())) return;
    try {
      await postOnceByState(budget, `${token}:detach`, (options) => paymentMethods.detach(token, {}, options));
    } catch (error) {
      if (await isStored()) throw error;
    }
  }

  return {
    storeCard: (request) => answered(() => storeCard(request)),
    continueStoring: (request) => answered(() => continueStoring(request)),
    removeCard,
  } satisfies Partial<Processor>;
}

const idOf = (one: string | { id: string } | null): string | null =>
  one === null || typeof one === "string" ? one : one.id;

/** Reads a SetupIntent whose payment method is expanded. */
function outcomeOf(intent: Stripe.SetupIntent): StoreCardOutcome {
  const { status, payment_method: method } = intent;
  switch (status) {
    case "succeeded": {
      if (method === null || typeof method === "string") return { kind: "unknown", reason: "Stripe names no card" };
      const card: KnownCard | undefined = method.card && knownCard(method.card);
      const fingerprint = method.card?.fingerprint;
      return { kind: "stored", token: method.id, ...(card && { card }), ...(fingerprint && { fingerprint }) };
    }
    case "requires_action": {
      const url = intent.next_action?.redirect_to_url?.url;
      if (!url)
        return { kind: "unknown", reason: `Stripe asks for ${intent.next_action?.type ?? "an unnamed action"}` };
      return { kind: "action_required", challenge: { url }, pending: intent.id };
    }
    case "requires_payment_method":
    case "canceled": {
      const { code, decline_code } = intent.last_setup_error ?? {};
      if (!code) return { kind: "declined", decline_code: "authentication_failed" };
      const note = [...new Set([code, decline_code].filter(Boolean))].join(", ");
      return { kind: "declined", decline_code: declineCodeOf(code, decline_code ?? null), note };
    }
    default:
      return { kind: "unknown", reason: `Stripe says ${status} of the check` };
  }
}

async function answered(call: () => Promise<StoreCardOutcome>): Promise<StoreCardOutcome> {
  try {
    return await call();
  } catch (error) {
    const failure = toRequestFailure(error);
    switch (failure.kind) {
      case "card": {
        const { code, declineCode, note } = failure;
        return { kind: "declined", decline_code: declineCodeOf(code, declineCode), note };
      }
      case "refused":
        return { kind: "declined", decline_code: null, note: failure.note, refusal: failure.refusal };
      case "not_sent":
        return failure;
      case "unknown":
        return { kind: "unknown", reason: failure.reason };
      default:
        return failure satisfies never;
    }
  }
}
