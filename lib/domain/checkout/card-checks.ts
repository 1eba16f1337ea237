import type { Orm } from "@/db/client";
import { findEnvironmentById, getMerchantTimeZone } from "@/db/queries/accounts/merchants";
import { claimCardCheck, lockSessionOfCheck, updateCheckedSession } from "@/db/queries/checkout/card-checks";
import { type CheckoutRow, findClientSession } from "@/db/queries/checkout/client-sessions";
import { storeResponse } from "@/db/queries/idempotency/keys";
import { findPaymentMethod, insertPaymentMethod } from "@/db/queries/payment-methods";
import { type By, claimTrial, lockOpenInvoices, lockSubscription, runIn } from "@/db/queries/subscriptions/rows";
import type { CardCheck, ClientSessionRow } from "@/db/schema/checkout";
import type { PaymentMethodRow } from "@/db/schema/payment-methods";
import { MAX_SESSION_ATTEMPTS } from "@/lib/contract/checkout/attempts";
import { isRefusal } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import type { ContinueStoringRequest, StoreCardOutcome, TokenizedCard } from "@/lib/processor/cards";
import type { Connected } from "@/lib/processor/registry";
import { type Context, type Environment, environmentNow, newEnvironmentId, type Reply, type Service } from "../context";
import { changedMembers, recordChangeBy } from "../events/event";
import { inProgress, keyedRequest } from "../idempotency/used-key";
import { checkedCard, checkUnderKey } from "../payment-methods/store-card";
import { cannotStoreCards, presentPaymentMethod } from "../payment-methods/stored-card";
import { CHALLENGE_MINUTES } from "../payments/outcome";
import { processorCustomer } from "../payments/processor-calls";
import { type Move, withCard } from "../subscriptions/move";
import { hasEnded } from "../subscriptions/states";
import { writeMove } from "../subscriptions/write-move";
import { type Checkout, sessionUnusable } from "./client-sessions";
import { checkInProgress, presentClientSession } from "./present-session";
import { isTrialUsed, type Subscriber, subscriptionOf, trialKeysOf } from "./subscribe";

/** Context of a check: its session's environment, and the actor that completes it. */
type Where = { readonly service: Service; readonly environment: Environment; readonly by: By };
type CheckedSession = ClientSessionRow & { card_check: CardCheck };
type Final = Extract<StoreCardOutcome, { kind: "stored" | "declined" }>;
/** `ended`: the session is closed, or another request has concluded the check. */
type Concluded = "stored" | "declined" | "trial_refused" | "ended";

/** Calls for one check: a repeat under the same reference stores the card once. */
const MAX_CALLS = 2;
const MAX_CONFLICTS = 3;

type CheckInput = {
  /** The card; called only for an attempt that has no response yet. */
  readonly tokenize: () => Promise<TokenizedCard>;
  readonly at: Connected;
  readonly holder: { name: string | null; address: CheckoutRow["billing_address"] };
  readonly subscriber: Subscriber;
  readonly consent: CardCheck["consent"];
};

/**
 * Checks and stores the card of a session that pays nothing now, under the attempt's idempotency key. The
 * session shows the outcome; the result tells if this request's card was declined. Throws 409 if the session
 * takes no card now.
 */
export async function checkSessionCard(
  ctx: Context,
  { row }: Checkout,
  { tokenize, at, holder, subscriber, consent }: CheckInput,
): Promise<{ declined: boolean }> {
  const { service, environment } = ctx;
  if (!at.processor.storeCard) throw cannotStoreCards();
  const where: Where = { service, environment, by: { actor: ctx.actor, requestId: ctx.request.id } };
  let declined = false;
  const reply = await checkUnderKey(ctx, async (reference) => {
    const { token, ...card } = await tokenize();
    const check: CardCheck = {
      reference,
      state: "running",
      until: new Date(service.clock.now().getTime() + MAX_CALLS * service.processorTimeoutMs + 2_000).toISOString(),
      connection_id: at.connectionId,
      card: { brand: card.brand, bin: card.bin, last4: card.last4, exp_month: card.exp_month, exp_year: card.exp_year },
      customer_id: subscriber.customerId,
      customer_email: subscriber.email,
      customer_name: holder.name,
      consent,
      challenge: null,
      decline_code: null,
    };
    const { sql } = service.db.within(environment.id);
    if (!(await claimCardCheck(sql, environment.id, row.id, check))) throw sessionUnusable(row);
    const request = {
      ...callOf(service, environment.id, row.id, check),
      token,
      holder,
    };
    let outcome: StoreCardOutcome = { kind: "not_sent", reason: "no call was made" };
    for (let calls = 0; calls < MAX_CALLS && (outcome.kind === "not_sent" || outcome.kind === "unknown"); calls++)
      outcome = (await at.processor.storeCard?.(request)) ?? outcome;
    const concluded = await conclude(where, row.id, check, outcome, (tx) => storeReply(ctx, tx));
    declined = concluded === "declined";
    return { status: 200, body: "{}", replayed: false } satisfies Reply;
  });
  // An attempt's refusal is replayed like any other response.
  if (isRefusal(reply.status)) throw sessionUnusable(row);
  return { declined };
}

async function storeReply(ctx: Context, tx: Orm): Promise<void> {
  const stored = await storeResponse(tx, ctx.environment.id, keyedRequest(ctx), { status: 200, body: "{}" });
  if (!stored) throw inProgress("Another request with this key is running. Send it again in a moment.");
}

const callOf = (service: Service, environmentId: string, sessionId: string, check: CardCheck) => ({
  reference: check.reference,
  account: environmentId,
  customer: processorCustomer(environmentId, check.customer_id),
  challengePage: checkChallengeUrl(service, { environmentId, sessionId }),
});

/** Writes the outcome of a check. A card that is not kept is removed at its processor, too. */
async function conclude(
  where: Where,
  sessionId: string,
  check: CardCheck,
  outcome: StoreCardOutcome,
  alsoIn: (tx: Orm) => Promise<void>,
): Promise<Concluded | "waits"> {
  const { service, environment } = where;
  const { orm } = service.db.within(environment.id);
  if (outcome.kind === "action_required") {
    const { challenge, pending } = outcome;
    const until = new Date(environmentNow(where).getTime() + CHALLENGE_MINUTES * 60_000).toISOString();
    return orm.transaction(async (tx) => {
      const session = await lockSessionOfCheck(tx, environment.id, sessionId, check.reference);
      const waits: CardCheck = {
        ...check,
        state: "action_required",
        until,
        challenge: { pending, url: challenge.url },
      };
      if (session) await updateCheckedSession(tx, session, { card_check: waits, updated_at: nowIn(where) });
      await alsoIn(tx);
      return session ? "waits" : "ended";
    });
  }
  // No money moves, so a check without an outcome may simply count as failed.
  const final: Final =
    outcome.kind === "stored" || outcome.kind === "declined"
      ? outcome
      : { kind: "declined", decline_code: "processing_error" };
  for (let conflicts = 0; ; conflicts++) {
    try {
      const concluded = await orm.transaction(async (tx) => {
        const result = await write(where, tx, sessionId, check, final);
        await alsoIn(tx);
        return result;
      });
      if (final.kind === "stored" && concluded !== "stored") await dropCard(where, check, final.token);
      return concluded;
    } catch (error) {
      if (!(error instanceof TrialJustUsed) || conflicts >= MAX_CONFLICTS) throw error;
    }
  }
}

const nowIn = (where: Where): string => environmentNow(where).toISOString();

/** Another subscription has used the trial since it was looked up: look again. */
class TrialJustUsed extends Error {}

async function write(where: Where, tx: Orm, sessionId: string, check: CardCheck, final: Final): Promise<Concluded> {
  const { environment } = where;
  const session = await lockSessionOfCheck(tx, environment.id, sessionId, check.reference);
  if (session === null) return "ended";
  if (final.kind === "declined") return writeDecline(where, tx, session, final);
  // It has expired: since then, the session may have expired or its link may have been deactivated.
  const times = { real: where.service.clock.now(), environment: environmentNow(where) };
  if (checkInProgress(session, times) === null)
    return writeDecline(where, tx, session, { kind: "declined", decline_code: "authentication_failed" });
  const subscriber = { customerId: check.customer_id, email: check.customer_email };
  const keys = trialKeysOf(session, subscriber, final.fingerprint ?? null);
  if (await isTrialUsed(runIn(tx), session, keys)) {
    await refuseTrial(where, tx, session);
    return "trial_refused";
  }
  const method = checkedCard(final, {
    environment_id: environment.id,
    id: check.reference,
    customer_id: check.customer_id,
    connection_id: check.connection_id,
    card: check.card,
    consent: check.consent,
    metadata: {},
    client_session_id: session.id,
  });
  if (!(await insertPaymentMethod(tx, method))) throw new Error(`payment method ${method.id} exists already`);
  const now = environmentNow(where);
  const object = presentPaymentMethod(method, environment.mode, now);
  const type = "payment_method.created";
  await recordChangeBy(changeBy(where), tx, {
    type,
    action: type,
    objectId: method.id,
    data: { object, previous: null },
  });
  const subscriptionId = await subscribe(where, tx, session, { method, subscriber, keys });
  await complete(where, tx, session, { payment_method_id: method.id, subscription_id: subscriptionId });
  return "stored";
}

const changeBy = ({ service, environment, by }: Where) => ({
  environmentId: environment.id,
  actor: by.actor,
  requestId: by.requestId,
  now: service.clock.now(),
  clock: environment.clock,
});

async function writeDecline(
  where: Where,
  tx: Orm,
  session: CheckedSession,
  { decline_code }: Extract<Final, { kind: "declined" }>,
): Promise<Concluded> {
  const now = nowIn(where);
  const card_check: CardCheck = {
    ...session.card_check,
    state: "declined",
    challenge: null,
    decline_code: decline_code ?? "generic_decline",
  };
  const isLast = session.attempts >= MAX_SESSION_ATTEMPTS && session.expires_at > now;
  await updateCheckedSession(tx, session, { card_check, updated_at: now, ...(isLast && { expires_at: now }) });
  return "declined";
}

/** The session sells the plan without its trial from now on. The shopper must agree to that first. */
async function refuseTrial(where: Where, tx: Orm, session: CheckedSession): Promise<void> {
  const amount = session.bought_plan?.amount ?? null;
  await updateCheckedSession(tx, session, { card_check: null, trial_refused: true, amount, updated_at: nowIn(where) });
}

type Subscribing = { method: PaymentMethodRow; subscriber: Subscriber; keys: readonly string[] };

/**
 * Begins the session's free trial, or gives its card to the subscription that it names. Returns the
 * subscription's UUID.
 */
async function subscribe(where: Where, tx: Orm, session: CheckedSession, subscribing: Subscribing) {
  if (session.bought_plan !== null) return beginTrial(where, tx, session, subscribing);
  if (session.subscription_id !== null) await replaceCard(where, tx, session.subscription_id, subscribing.method);
  return session.subscription_id;
}

async function beginTrial(
  where: Where,
  tx: Orm,
  session: CheckedSession,
  { method, subscriber, keys }: Subscribing,
): Promise<string> {
  const { environment, service, by } = where;
  const now = nowIn(where);
  const run = runIn(tx);
  const { subscription, invoice } = subscriptionOf(session, subscriber, {
    id: newEnvironmentId({ service, environment }),
    invoiceId: newEnvironmentId({ service, environment }),
    paymentMethodId: method.id,
    timeZone: await getMerchantTimeZone(tx, environment.merchantId),
    now,
  });
  if (invoice !== null || session.plan_id === null) throw new Error(`session ${session.id} has a first payment`);
  const trial = { planId: session.plan_id, subscriptionId: subscription.id, keys };
  if (!(await claimTrial(run, environment.id, trial))) throw new TrialJustUsed();
  await writeMove(run, where, {
    locked: { subscription: null, invoices: [] },
    move: { subscription, invoices: [], events: [{ type: "subscription.created" }] },
    by,
    now,
  });
  return subscription.id;
}

/** Gives the subscription its new card, which makes unpaid invoices due immediately. */
async function replaceCard(where: Where, tx: Orm, subscriptionId: string, method: PaymentMethodRow): Promise<void> {
  const { environment, by } = where;
  const run = runIn(tx);
  const row = await lockSubscription(run, environment.id, subscriptionId);
  if (!row || hasEnded(row.status)) return;
  const open = await lockOpenInvoices(run, environment.id, subscriptionId);
  const now = nowIn(where);
  const move: Move = {
    ...withCard(row, open, { methodId: method.id, now }),
    events: [{ type: "subscription.updated" }],
  };
  await writeMove(run, where, { locked: { subscription: row, invoices: open }, move, by, now });
}

/** Completes the session. Sessions of payment links have no events. */
async function complete(
  where: Where,
  tx: Orm,
  session: CheckedSession,
  made: Pick<ClientSessionRow, "payment_method_id" | "subscription_id">,
): Promise<void> {
  const now = environmentNow(where);
  const completed = await updateCheckedSession(tx, session, {
    ...made,
    status: "COMPLETED",
    // Without a payment, the customer's name is only here.
    customer_name: session.customer_name ?? session.card_check.customer_name ?? null,
    card_check: null,
    updated_at: now.toISOString(),
  });
  if (session.payment_link_id !== null) return;
  const seen = { mode: where.environment.mode, now };
  const object = presentClientSession(completed, seen);
  const previous = changedMembers(presentClientSession(session, seen), object);
  const type = "client_session.completed";
  await recordChangeBy(changeBy(where), tx, { type, action: type, objectId: session.id, data: { object, previous } });
}

/** Removes a card that passed its check and is not kept, unless another request has kept it. */
async function dropCard({ service, environment }: Where, check: CardCheck, token: string): Promise<void> {
  if (await findPaymentMethod(service.db.within(environment.id).orm, environment.id, check.reference)) return;
  const customer = processorCustomer(environment.id, check.customer_id);
  try {
    const at = await service.processors.find(environment, check.connection_id);
    await at?.processor.removeCard?.(environment.id, { token, customer });
  } catch (error) {
    // Nothing refers to the card, so it is never charged.
    service.log.warn({ err: error, check: check.reference }, "an unused card could not be deleted at its processor");
  }
}

/** The text that the MAC at the end of the challenge's URL signs. */
export const checkSubject = ({ environmentId, sessionId }: { environmentId: string; sessionId: string }): string =>
  `${encodeId("environment", environmentId)}.${encodeId("clientSession", sessionId)}`;

function checkChallengeUrl(service: Service, session: { environmentId: string; sessionId: string }): string {
  const subject = checkSubject(session);
  return `${service.baseUrl}/challenge/${subject}.${service.secret.mac("challenge", subject)}`;
}

/** Path of our own challenge page, or null for a page of the processor. */
export function checkChallengePath(
  address: string,
  row: Pick<ClientSessionRow, "environment_id" | "id">,
): string | null {
  const { pathname } = new URL(address);
  const subject = checkSubject({ environmentId: row.environment_id, sessionId: row.id });
  return pathname.startsWith(`/challenge/${subject}.`) ? pathname : null;
}

/** Continues a check after the issuer's challenge. A repeat changes nothing. */
export async function continueCheck(
  service: Service,
  { environmentId, sessionId }: { environmentId: string; sessionId: string },
  challenge: ContinueStoringRequest["challenge"],
  returned?: ContinueStoringRequest["returned"],
): Promise<void> {
  const environment = await findEnvironmentById(service.db.within(environmentId).orm, environmentId);
  const session = await findClientSession(service.db.within(environmentId).sql, environmentId, sessionId);
  const check = session?.card_check ?? null;
  if (!environment || check?.state !== "action_required" || check.challenge === null) return;
  const at = await service.processors.find(environment, check.connection_id);
  if (!at?.processor.continueStoring) throw new Error(`session ${sessionId} is at a processor that is not connected`);
  const request = { ...callOf(service, environmentId, sessionId, check), pending: check.challenge.pending, challenge };
  const outcome = await at.processor.continueStoring({ ...request, ...(returned && { returned }) });
  // Without an outcome, the shopper may come back to the challenge until its time is over.
  if (outcome.kind === "not_sent" || outcome.kind === "unknown" || outcome.kind === "action_required") return;
  const final: Final =
    outcome.kind === "declined"
      ? { ...outcome, decline_code: outcome.decline_code ?? "authentication_failed" }
      : outcome;
  const by: By = { actor: { type: "shopper", id: sessionId }, requestId: null };
  await conclude({ service, environment, by }, sessionId, check, final, async () => {});
}
