import { isDeepStrictEqual } from "node:util";
import type { Orm } from "@/db/client";
import { cancelOpenClientSession, insertClientSession, lockClientSession } from "@/db/queries/checkout/client-sessions";
import {
  countOpening,
  deleteUntriedSessions,
  findPublicLink,
  lockPaymentLink,
  type PublicLinkRow,
  replaceLinkSession,
} from "@/db/queries/checkout/payment-links";
import { clockSettingOf } from "@/db/queries/clock";
import { findPlan } from "@/db/queries/plans";
import { findSubscription, runIn } from "@/db/queries/subscriptions/rows";
import type { ClientSessionRow, PaymentLinkRow } from "@/db/schema/checkout";
import { SYSTEM } from "@/db/schema/operations";
import type { PlanRow } from "@/db/schema/plans";
import { MAX_SESSION_ATTEMPTS } from "@/lib/contract/checkout/attempts";
import type { PaymentLinkStatus } from "@/lib/contract/checkout/payment-link";
import { encodeId } from "@/lib/contract/ids";
import { idTime } from "@/lib/ids";
import { sha256 } from "@/lib/secret";
import { type Environment, environmentNow, type InEnvironment, newEnvironmentId, type Service } from "../context";
import { boughtPlan } from "../subscriptions/create";
import { hasBegun } from "../subscriptions/states";
import { expireBegun } from "./billing";
import { isOwed, newSessionToken, SESSION_LIFE_MS } from "./client-sessions";
import { findCheckout } from "./pay-session";
import { linkPrice, paymentLinkStatus } from "./payment-links";
import { clientSessionStatus } from "./present-session";

/** A link as its public page sees it, found by the token in its URL. */
export type PublicLink = {
  readonly environment: Environment;
  readonly row: PublicLinkRow;
  readonly plan: PlanRow | null;
  readonly status: PaymentLinkStatus;
};

const TOKEN = /^[A-Za-z0-9_-]{22}$/;

/** Null for text that can't be a link's token. */
export async function findPaymentLink(service: Service, token: string): Promise<PublicLink | null> {
  if (!TOKEN.test(token)) return null;
  const row = await findPublicLink(service.db.sql, token);
  if (row === null) return null;
  const environment = {
    id: row.environment_id,
    mode: row.mode,
    merchantId: row.merchant_id,
    clock: clockSettingOf(row),
  };
  const plan = await planOf(service.db.within(environment.id).orm, row);
  return {
    environment,
    row,
    plan,
    status: paymentLinkStatus(environmentNow({ service, environment }), row, { plan, paid: row.paid }),
  };
}

const planOf = (orm: Orm, { environment_id, plan_id }: PaymentLinkRow): Promise<PlanRow | null> =>
  plan_id === null ? Promise.resolve(null) : findPlan(orm, environment_id, plan_id);

/** Result of opening a link: the token of the session to pay, or the reason why there is none. */
type Opened = { readonly token: string } | { readonly status: Exclude<PaymentLinkStatus, "ACTIVE"> };

type OpenOptions = {
  /** Token of this browser's earlier session, if any. */
  known: string | null;
  /** Called before a session is created; throws if none may be. */
  beforeNew: () => void;
};

/**
 * Opens a link for a shopper. A reusable link creates a session per shopper, and returns a browser to its
 * session while that can be paid. A single-use link has one session at a time for everyone. No
 * `client_session.created` events: merchants care about payments, not visitors.
 */
export async function openPaymentLink(service: Service, link: PublicLink, options: OpenOptions): Promise<Opened> {
  if (link.row.single_use) return openSingleUse(service, link, options);
  if (link.status !== "ACTIVE") return { status: link.status };
  const { known } = options;
  if (known !== null && (await canReuse(service, link, known))) return { token: known };
  options.beforeNew();
  const { id: environmentId } = link.environment;
  return service.db.within(environmentId).orm.transaction(async (tx) => {
    const now = environmentNow({ service, environment: link.environment }).toISOString();
    // Deactivated or expired since it was read; the next request shows the exact status.
    if (!(await countOpening(tx, environmentId, link.row.id, now))) return { status: "INACTIVE" };
    return {
      token: (await insertLinkSession(tx, { service, environment: link.environment }, link.row, link.plan)).token,
    };
  });
}

/**
 * True if the browser's session matches the link's current offer and can be paid, or has a payment in
 * progress.
 */
async function canReuse(service: Service, { row, plan, environment }: PublicLink, token: string): Promise<boolean> {
  const checkout = await findCheckout(service, token);
  if (checkout?.row.payment_link_id !== row.id || checkout.environment.id !== row.environment_id) return false;
  const now = environmentNow({ service, environment });
  return (
    checkout.row.open_payment_id !== null || (isOwed(checkout.row) && isPayable(now, checkout.row, saleOf(row, plan)))
  );
}

/**
 * Status of a browser's session that is paid or has a payment in
 * progress: its shopper may see the outcome, whatever the link's state.
 */
export async function findSessionProgress(
  service: Service,
  { row }: PublicLink,
  token: string | null,
): Promise<"paid" | "under_way" | null> {
  const checkout = token === null ? null : await findCheckout(service, token);
  if (checkout?.row.payment_link_id !== row.id) return null;
  if (checkout.row.status === "COMPLETED") return "paid";
  return checkout.row.open_payment_id === null ? null : "under_way";
}

type Sale = Pick<ClientSessionRow, "amount" | "currency" | "description" | "bought_plan">;

/** The current offer: price and description of a new session, and the recurring plan that it begins. */
const saleOf = (link: PaymentLinkRow, plan: PlanRow | null): Sale => ({
  ...linkPrice(link, plan),
  description: link.description,
  bought_plan: plan && boughtPlan(plan),
});

function isPayable(now: Date, session: ClientSessionRow, sale: Sale): boolean {
  return (
    clientSessionStatus(session, now) === "OPEN" &&
    session.attempts < MAX_SESSION_ATTEMPTS &&
    (session.amount === sale.amount || session.trial_refused) &&
    isDeepStrictEqual(session.bought_plan, sale.bought_plan) &&
    session.currency === sale.currency &&
    session.description === sale.description
  );
}

/**
 * Opens the one session of a single-use link. The link's row is locked, so that two shoppers get the same
 * session. A session that can't be paid anymore, or whose trial was refused to another browser, is closed
 * and replaced in the same transaction, under the payments' guard: one that is paid, or has a payment in
 * progress or unknown, stays the link's session. A subscription that it began ends, so that nobody pays both.
 */
async function openSingleUse(service: Service, { environment, row: link }: PublicLink, options: OpenOptions) {
  return service.db.within(environment.id).orm.transaction(async (tx): Promise<Opened> => {
    const row = await lockPaymentLink(tx, environment.id, link.id);
    if (row === null) throw new Error(`payment link ${link.id} vanished`);
    const plan = await planOf(tx, row);
    const session = row.session_id && (await lockClientSession(tx, environment.id, row.session_id));
    const status = paymentLinkStatus(environmentNow({ service, environment }), row, {
      plan,
      paid: await isSold(tx, session || null),
    });
    const held = session && row.session_token;
    // Whatever the link's state: a shopper who paid may see the outcome.
    if (session && held && session.open_payment_id !== null) return { token: service.secret.unseal(held) };
    if (status !== "ACTIVE") return { status };
    if (session && held && isPayable(environmentNow({ service, environment }), session, saleOf(row, plan))) {
      const token = service.secret.unseal(held);
      const isRefused = session.trial_refused && session.subscription_id === null;
      if (!isRefused || token === options.known) return { token };
    }

    if (session && session.subscription_id !== null) {
      const where = { service, environment };
      const isEnded = await expireBegun(runIn(tx), where, session.subscription_id, { actor: SYSTEM, requestId: null });
      if (!isEnded && held) return { token: service.secret.unseal(held) };
    }
    options.beforeNew();
    const now = environmentNow({ service, environment }).toISOString();
    if (session && session.status === "OPEN") {
      const closed = await cancelOpenClientSession(tx, environment.id, session.id, now, { evenExpired: true });
      if (closed === null) throw new Error(`client session ${session.id} was locked and yet could not be closed`);
    }
    const created = await insertLinkSession(tx, { service, environment }, row, plan);
    const sealed = { id: created.id, sealedToken: service.secret.seal(created.token) };
    const replaced = await replaceLinkSession(tx, environment.id, row.id, row.session_id, sealed);
    const counted = await countOpening(tx, environment.id, row.id, now);
    if (!replaced || !counted) throw new Error(`payment link ${row.id} changed while it was locked`);
    return { token: created.token };
  });
}

/** True if the session was paid, or the subscription that it began was paid by its invoice's own page. */
async function isSold(tx: Orm, session: ClientSessionRow | null): Promise<boolean> {
  if (!session?.subscription_id) return session?.status === "COMPLETED";
  const begun = await findSubscription(runIn(tx), session.environment_id, session.subscription_id);
  return session.status === "COMPLETED" || (begun !== null && hasBegun(begun.status));
}

async function insertLinkSession(tx: Orm, of: InEnvironment, link: PaymentLinkRow, plan: PlanRow | null) {
  const id = newEnvironmentId(of);
  const created_at = idTime(id);
  const token = newSessionToken();
  const ends = Date.parse(created_at) + SESSION_LIFE_MS;
  const expires = link.expires_at === null ? ends : Math.min(ends, Date.parse(link.expires_at));
  await insertClientSession(tx, link.environment_id, {
    id,
    token_sha256: sha256(token),
    status: "OPEN",
    ...saleOf(link, plan),
    capture_method: "automatic",
    plan_id: link.plan_id,
    payment_link_id: link.id,
    customer_id: null,
    customer_email: null,
    customer_name: null,
    billing_address: null,
    allowed_origins: [],
    return_url: null,
    appearance: null,
    // Copied to the payment, so that merchants' servers can tell which link was paid.
    metadata: { payment_link_id: encodeId("paymentLink", link.id) },
    expires_at: new Date(expires).toISOString(),
    created_at,
    updated_at: created_at,
  });
  return { id, token };
}

/** Rows per statement, so that locks are short. */
const BATCH_ROWS = 2_000;

/**
 * Deletes link sessions without an attempt a week after they expired, in every environment, so that visitors
 * can't fill the database. Returns the number deleted: call again until it is 0.
 */
export const removeUntriedSessions = ({ db }: Pick<Service, "db">): Promise<number> =>
  deleteUntriedSessions(db.orm, BATCH_ROWS);
