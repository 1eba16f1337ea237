import { randomBytes } from "node:crypto";
import type { Orm } from "@/db/client";
import type { CheckoutRow } from "@/db/queries/checkout/client-sessions";
import {
  cancelOpenClientSession,
  findClientSession,
  insertClientSession,
  lockClientSession,
  type NewClientSession,
} from "@/db/queries/checkout/client-sessions";
import {
  countClientSessions,
  findSessionWithPlan,
  type ListedSession,
  listSessionActs,
  listSessionCharges,
  type SessionAct,
  type SessionChargeRow,
  listClientSessions as selectSessions,
} from "@/db/queries/checkout/session-list";
import { findKey } from "@/db/queries/idempotency/keys";
import { type ActorNames, readActorNames } from "@/db/queries/payments/payment-detail";
import { findPayment } from "@/db/queries/payments/payments";
import { findPlan } from "@/db/queries/plans";
import { runIn } from "@/db/queries/subscriptions/rows";
import type { ClientSessionRow } from "@/db/schema/checkout";
import type { PlanRow } from "@/db/schema/plans";
import { MAX_SESSION_ATTEMPTS } from "@/lib/contract/checkout/attempts";
import {
  type ClientSession,
  type CreateClientSessionBody,
  requireSecureAddresses,
} from "@/lib/contract/checkout/client-session";
import type {
  SessionAttempt,
  SessionDetail,
  SessionListItem,
  SessionListQuery,
} from "@/lib/contract/checkout/endpoints";
import { linkTitle } from "@/lib/contract/checkout/payment-link";
import { isSupportedCurrency } from "@/lib/contract/currencies";
import { AppError } from "@/lib/contract/errors";
import { TOTAL_CAP } from "@/lib/contract/fields";
import { decodeId, encodeId, encodeIdOrNull } from "@/lib/contract/ids";
import { DECLINE_GUIDE } from "@/lib/contract/payments/decline-guide";
import { dueAtOnce } from "@/lib/contract/plans/schedule";
import { idTime } from "@/lib/ids";
import { sha256 } from "@/lib/secret";
import {
  type Context,
  type Environment,
  environmentNow,
  newEnvironmentId,
  type Reply,
  resourceNotFound,
} from "../context";
import { changedMembers, recordAct, recordChange } from "../events/event";
import { runOnce } from "../idempotency/run-once";
import { requireKey } from "../idempotency/used-key";
import { type ListResult, presentList } from "../lists";
import { continuePayment } from "../payments/follow-up";
import { refuseUnclaimed } from "../payments/money-request";
import { presentActor } from "../payments/present";
import { currencyNotSupported } from "../plans/plans";
import { boughtPlan } from "../subscriptions/create";
import { subscriptionOffer } from "./offer";
import { checkInProgress, clientSessionStatus, presentClientSession } from "./present-session";
import { isTrialUsed, subscriberBy, trialKeysOf } from "./subscribe";

export const SESSION_LIFE_MS = 24 * 60 * 60 * 1000;

/** Mode and time that a session is presented with. */
const by = (ctx: Context) => ({ mode: ctx.environment.mode, now: environmentNow(ctx) });

export const newSessionToken = (): string => `cst_${randomBytes(32).toString("base64url")}`;

/** Creates a session for one shopper and one amount. Its token is only in this response and its replays. */
export async function createClientSession(ctx: Context, input: CreateClientSessionBody): Promise<Reply> {
  requireSecureAddresses(ctx.environment, input);
  return runOnce(
    ctx,
    async (tx) => {
      const { plan_id, amount, currency, ...described } = input;
      const price = await priceOf(ctx, tx, input);
      const { row, token, iframe_url } = await openSession(ctx, tx, { ...price, ...described });
      return presentClientSession(row, by(ctx), { client_session_token: token, iframe_url });
    },
    { secretResponse: true },
  );
}

type SessionTerms = Omit<
  NewClientSession,
  "id" | "token_sha256" | "status" | "payment_link_id" | "expires_at" | "created_at" | "updated_at"
>;

/** Address of a session's form. */
export const formUrl = ({ service }: Context, token: string): string => `${service.baseUrl}/pay/${token}`;

/**
 * Writes an open session that no payment link made, with its event. Returns its token, and its form's
 * address.
 */
export async function openSession(
  ctx: Context,
  tx: Orm,
  terms: SessionTerms,
  tokenOf: (id: string) => string = newSessionToken,
): Promise<{ row: ClientSessionRow; token: string; iframe_url: string }> {
  const id = newEnvironmentId(ctx);
  const created_at = idTime(id);
  const token = tokenOf(id);
  const row = await insertClientSession(tx, ctx.environment.id, {
    ...terms,
    id,
    token_sha256: sha256(token),
    status: "OPEN",
    payment_link_id: null,
    expires_at: new Date(Date.parse(created_at) + SESSION_LIFE_MS).toISOString(),
    created_at,
    updated_at: created_at,
  });
  const type = "client_session.created";
  const data = { object: presentClientSession(row, by(ctx)), previous: null };
  await recordChange(ctx, tx, { type, action: type, objectId: id, data });
  return { row, token, iframe_url: formUrl(ctx, token) };
}

/** The amount due now: the plan's, or the amount and currency that the schema requires without a plan. */
async function priceOf(ctx: Context, tx: Orm, input: CreateClientSessionBody) {
  const { plan_id: publicPlanId, amount, currency, mode } = input;
  if (mode === "setup") return { plan_id: null, amount: null, currency: null };
  if (publicPlanId === null) {
    if (amount === null || currency === null)
      throw new Error("a client session needs a plan, or an amount and a currency");
    if (!isSupportedCurrency(currency)) throw currencyNotSupported(currency);
    return { plan_id: null, amount, currency };
  }
  const planId = decodeId("plan", publicPlanId);
  const plan = requireSellable(planId === null ? null : await findPlan(tx, ctx.environment.id, planId), publicPlanId);
  const bought = boughtPlan(plan);
  if (bought === null || mode === "tokenize")
    return { plan_id: plan.id, amount: plan.full_price, currency: plan.currency };
  if (input.capture_method === "manual") {
    const message = "The payments of a subscription are captured immediately: leave it out.";
    const [param, code] = ["capture_method", "invalid_parameter"] as const;
    throw new AppError(code, message, { param, errors: [{ param, code, message }] });
  }
  const sold = { environment_id: ctx.environment.id, plan_id: plan.id, bought_plan: bought, metadata: input.metadata };
  // Only what is known before the shopper enters an e-mail address and a card.
  const { customer_id: customerId, customer_email: email } = input;
  const subscriber = customerId === null ? (email === null ? null : subscriberBy(email)) : { customerId, email };
  const keys = subscriber ? trialKeysOf({ ...sold, trial_refused: false }, subscriber, null) : [];
  const trial_refused = await isTrialUsed(runIn(tx), { ...sold, trial_refused: false }, keys);
  const { terms } = subscriptionOffer(bought, {
    now: environmentNow(ctx),
    timeZone: "UTC",
    trialRefused: trial_refused,
  });
  return { ...sold, amount: dueAtOnce(terms), currency: plan.currency, trial_refused };
}

/** Throws unless the plan exists and is for sale. */
export function requireSellable(plan: PlanRow | null, publicPlanId: string): PlanRow {
  if (plan === null) throw resourceNotFound("plan", publicPlanId, "plan_id");
  if (plan.status !== "ACTIVE") {
    throw new AppError(
      "plan_not_active",
      `The plan '${publicPlanId}' is ${plan.status}. Activate it, or use another plan.`,
      {
        param: "plan_id",
      },
    );
  }
  return plan;
}

export async function getClientSession(ctx: Context, input: { id: string }): Promise<ClientSession> {
  const id = decodeId("clientSession", input.id);
  const row =
    id === null ? null : await findClientSession(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, id);
  if (row === null) throw resourceNotFound("client session", input.id);
  return presentClientSession(row, by(ctx));
}

const LIMIT = 20;

type ListedBy = SessionListQuery & {
  /** `plink_…`: sessions that this link opened, with or without an attempt. */
  payment_link_id?: string;
};

/**
 * One page of the environment's client sessions, newest first.
 * Sessions of links are included once an attempt was made.
 */
export async function listClientSessions(ctx: Context, input: ListedBy): Promise<ListResult<SessionListItem>> {
  const linkId = input.payment_link_id === undefined ? null : decodeId("paymentLink", input.payment_link_id);
  if (input.payment_link_id !== undefined && linkId === null)
    throw resourceNotFound("payment link", input.payment_link_id);
  const { orm } = ctx.service.db.within(ctx.environment.id);
  const offset = input.offset ?? 0;
  const now = environmentNow(ctx);
  const filter = { status: input.status, now: now.toISOString(), linkId };
  const [rows, total] = await Promise.all([
    selectSessions(orm, ctx.environment.id, filter, { limit: LIMIT + 1, offset }),
    countClientSessions(orm, ctx.environment.id, filter, TOTAL_CAP),
  ]);
  const real = ctx.service.clock.now();
  const items = rows.slice(0, LIMIT).map((row) => present(row, now, real));
  return presentList(items, { hasMore: rows.length > LIMIT, total }, LIMIT, offset);
}

const namedLink = ({ plan, link }: Pick<ListedSession, "plan" | "link">) =>
  link && {
    id: encodeId("paymentLink", link.id),
    title: linkTitle({ ...link, plan_name: plan?.name ?? null }),
  };

function present({ session, plan, link }: ListedSession, now: Date, real: Date): SessionListItem {
  return {
    id: encodeId("clientSession", session.id),
    status: clientSessionStatus(session, now),
    mode: session.mode,
    amount: session.amount,
    currency: session.currency,
    plan: plan && { id: encodeId("plan", plan.id), name: plan.name },
    link: namedLink({ plan, link }),
    customer_id: session.customer_id,
    customer_email: session.customer_email,
    customer_name: session.customer_name,
    attempts: session.attempts,
    under_way: session.open_payment_id !== null || checkInProgress(session, { real, environment: now }) !== null,
    payment_id: encodeIdOrNull("payment", session.payment_id),
    expires_at: session.expires_at,
    created_at: session.created_at,
  };
}

/**
 * Closes an open session, which then accepts no attempts. An open 3-D Secure challenge ends as abandoned. If
 * the outcome of a payment is unknown, it throws 409 `outcome_pending` and closes nothing.
 */
export async function cancelClientSession(ctx: Context, input: { id: string }): Promise<ClientSession> {
  const id = decodeId("clientSession", input.id);
  if (id === null) throw resourceNotFound("client session", input.id);
  // A session whose challenge was just abandoned was open until then, whatever its expiry and attempts.
  const cancelled =
    (await cancel(ctx, id, { evenExpired: false })) ??
    ((await abandonChallenge(ctx, id)) ? await cancel(ctx, id, { evenExpired: true }) : null);
  if (cancelled) return cancelled;
  const row = await findClientSession(ctx.service.db.within(ctx.environment.id).sql, ctx.environment.id, id);
  if (row === null) throw resourceNotFound("client session", input.id);
  throw refusal(ctx, row);
}

function cancel(ctx: Context, id: string, options: { evenExpired: boolean }): Promise<ClientSession | null> {
  return ctx.service.db.within(ctx.environment.id).orm.transaction(async (tx) => {
    const now = environmentNow(ctx).toISOString();
    const open = await lockClientSession(tx, ctx.environment.id, id);
    if (open === null) return null;
    const row = await cancelOpenClientSession(tx, ctx.environment.id, id, now, options);
    if (row === null) return null;
    const session = presentClientSession(row, by(ctx));
    const previous = changedMembers(presentClientSession(open, by(ctx)), session);
    const type = "client_session.cancelled";
    // Sessions of links emit no created event, so none is needed here.
    if (row.payment_link_id !== null) await recordAct(ctx, tx, type, id);
    else await recordChange(ctx, tx, { type, action: type, objectId: id, data: { object: session, previous } });
    return session;
  });
}

/** Abandons the session's challenge. False if it has none. */
async function abandonChallenge({ service, environment }: Context, id: string): Promise<boolean> {
  const row = await findClientSession(service.db.within(environment.id).sql, environment.id, id);
  if (!row?.open_payment_id) return false;
  const snapshot = await findPayment(service.db.within(environment.id).sql, environment.id, row.open_payment_id);
  if (snapshot?.payment.status !== "REQUIRES_ACTION") return false;
  await continuePayment(service, environment, row.open_payment_id, "abandoned");
  return true;
}

function refusal(ctx: Context, row: ClientSessionRow): AppError {
  const current_status = clientSessionStatus(row, environmentNow(ctx));
  if (row.open_payment_id !== null) {
    return new AppError(
      "outcome_pending",
      "A payment of this client session is in progress. Try again in a moment: the session is then paid or can be cancelled.",
    );
  }
  return new AppError("invalid_state", `The client session is ${current_status}; only an OPEN one can be cancelled.`, {
    extra: { current_status, allowed_actions: [] },
  });
}

/** A session accepts five attempts; payments made for it by the merchant's server with a token are extra. */
const MAX_SHOWN_ATTEMPTS = 50;

/** A session with the cards that were tried, and the actors that opened and closed it. */
export async function getSessionDetail(ctx: Context, input: { id: string }): Promise<SessionDetail> {
  const { service, environment } = ctx;
  const id = decodeId("clientSession", input.id);
  const found =
    id === null ? null : await findSessionWithPlan(service.db.within(environment.id).orm, environment.id, id);
  if (found === null) throw resourceNotFound("client session", input.id);
  const { session, plan, link } = found;
  const [charges, acts] = await Promise.all([
    listSessionCharges(service.db.within(environment.id).sql, environment.id, session.id, MAX_SHOWN_ATTEMPTS),
    listSessionActs(service.db.within(environment.id).sql, environment.id, session.id),
  ]);
  const owner = { id: environment.id, merchantId: environment.merchantId };
  const names = await readActorNames(
    service.db.within(environment.id).sql,
    owner,
    acts.map(({ actor }) => actor),
  );
  const actOf = (action: string) => acts.find((act) => act.action === action);
  const created = actOf("client_session.created");
  const cancelled = actOf("client_session.cancelled");
  return {
    session: presentClientSession(session, by(ctx)),
    plan: plan && { id: encodeId("plan", plan.id), name: plan.name },
    link: namedLink({ plan, link }),
    open_payment_id: encodeIdOrNull("payment", session.open_payment_id),
    is_checking: isChecking(ctx, session),
    attempts: charges.map(attemptOf),
    created_by: created ? presentActor(created.actor, names) : null,
    cancelled: cancelled ? cancelledOf(cancelled, names) : null,
  };
}

const isChecking = (ctx: Context, row: ClientSessionRow): boolean =>
  checkInProgress(row, { real: ctx.service.clock.now(), environment: environmentNow(ctx) }) !== null;

const cancelledOf = (act: SessionAct, names: ActorNames) => ({
  at: act.created_at,
  by: presentActor(act.actor, names),
});

function attemptOf(row: SessionChargeRow): SessionAttempt {
  const { decline_code: code } = row;
  return {
    id: encodeId("transaction", row.id),
    payment_id: encodeId("payment", row.payment_id),
    status: row.status,
    amount: row.amount,
    currency: row.currency,
    card_brand: row.card_brand,
    card_last4: row.card_last4,
    decline: code && { code, meaning: DECLINE_GUIDE[code].meaning, advice: DECLINE_GUIDE[code].advice },
    created_at: row.created_at,
  };
}

/** A session as the payment form sees it, found by the token in the form's URL. */
export type Checkout = { readonly environment: Environment; readonly row: CheckoutRow };

/** Refuses an attempt at a session that is paid, closed, or busy with another payment. */
export function sessionUnusable({ status }: Pick<CheckoutRow, "status">): AppError {
  return new AppError(
    "invalid_state",
    "This client session can't take a payment now: it is paid or closed, or another payment is in progress. Check its state.",
    { extra: { current_status: status, allowed_actions: [] } },
  );
}

/**
 * Throws unless the session can be paid, before the card is sent anywhere. A repeated attempt passes: its
 * outcome is shown, whatever has changed since. This is an early refusal; T1's guard decides.
 */
export async function requireUsable(ctx: Context, { row }: Checkout): Promise<void> {
  const refusal = refusalOf(ctx, row);
  if (!refusal || !(await isNewAttempt(ctx, row))) return;
  // A busy session may become free again; the refusal is stored so that a retry of this attempt can't pay.
  const isBusy = refusal.code === "invalid_state" && (row.open_payment_id !== null || isChecking(ctx, row));
  if (isBusy) {
    const reply = await refuseUnclaimed(ctx, refusal);
    // The response is not our refusal: the same attempt has just
    // started, and the request that continues it responds.
    if (reply.replayed || reply.status !== refusal.status) return;
  }
  throw refusal;
}

/**
 * True unless the attempt has a response, or its payment or card check exists. A key alone proves nothing:
 * its request may have died before either, under terms that have changed since.
 */
export async function isNewAttempt(ctx: Context, { card_check: check }: Pick<CheckoutRow, "card_check">) {
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const key = await findKey(sql, ctx.environment.id, requireKey(ctx).key);
  if (key === null || key.expired) return true;
  if (key.state === "done") return false;
  if (key.endpoint !== ctx.request.endpoint || key.operation_id === null) return true;
  return key.operation_state === null && check?.reference !== key.operation_id;
}

/** True if the link that opened a session still accepts payments; T1's guard checks the same. */
export const linkAcceptsPayments = ({ active, expired }: NonNullable<CheckoutRow["link"]>): boolean =>
  active && !expired;

/** False if the session's invoice, or the first one of its subscription, was paid or ended elsewhere. */
export function isOwed({ invoice_id: id, begun_status: begun, invoice_status: status }: CheckoutRow): boolean {
  if (id === null && (begun === null || begun === "EXPIRED")) return true;
  return (id !== null || begun === "INCOMPLETE") && status === "OPEN";
}

function refusalOf(ctx: Context, row: CheckoutRow): AppError | null {
  if (row.suspended) {
    return new AppError("merchant_suspended", "This shop can't take payments right now. Nothing was charged.");
  }
  const isBusy = row.open_payment_id !== null || isChecking(ctx, row);
  const open = clientSessionStatus(row, environmentNow(ctx)) === "OPEN" && !isBusy && isOwed(row);
  if (!open || row.attempts >= MAX_SESSION_ATTEMPTS) return sessionUnusable(row);
  if ((row.plan !== null && row.plan.status !== "ACTIVE") || (row.link !== null && !linkAcceptsPayments(row.link))) {
    return new AppError("plan_not_active", "This is no longer available. Nothing was charged.");
  }
  return null;
}
