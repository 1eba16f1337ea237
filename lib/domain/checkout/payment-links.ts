import { randomBytes } from "node:crypto";
import type { Orm } from "@/db/client";
import {
  countPaymentLinks,
  findLinkCreator,
  findLinkWithState,
  findListedLink,
  insertPaymentLink,
  type ListedLink,
  lockPaymentLink,
  listPaymentLinks as selectLinks,
  updatePaymentLink as writeLink,
} from "@/db/queries/checkout/payment-links";
import { readActorNames } from "@/db/queries/payments/payment-detail";
import { findPlan, findPlans } from "@/db/queries/plans";
import type { PaymentLinkRow } from "@/db/schema/checkout";
import type { PlanRow } from "@/db/schema/plans";
import type {
  CreatePaymentLinkBody,
  PaymentLink,
  PaymentLinkDetail,
  PaymentLinkItem,
  PaymentLinkListQuery,
  PaymentLinkStatus,
  UpdatePaymentLinkBody,
} from "@/lib/contract/checkout/payment-link";
import { isSupportedCurrency } from "@/lib/contract/currencies";
import { AppError } from "@/lib/contract/errors";
import { instantOf, TOTAL_CAP } from "@/lib/contract/fields";
import { decodeId, encodeId, encodeIdOrNull } from "@/lib/contract/ids";
import { dueAtOnce } from "@/lib/contract/plans/schedule";
import { idTime } from "@/lib/ids";
import { type Context, environmentNow, newEnvironmentId, resourceNotFound } from "../context";
import { recordAct } from "../events/event";
import { type ListResult, presentList } from "../lists";
import { presentActor } from "../payments/present";
import { currencyNotSupported, planTermsOf, presentPlan } from "../plans/plans";
import { requireSellable } from "./client-sessions";

const TOKEN_BYTES = 16;

/** Creates a link that sells an active plan, or an amount. */
export async function createPaymentLink(ctx: Context, input: CreatePaymentLinkBody): Promise<PaymentLink> {
  return ctx.service.db.within(ctx.environment.id).orm.transaction(async (tx) => {
    const { plan, ...price } = await priceOf(ctx, tx, input);
    const id = newEnvironmentId(ctx);
    const created_at = idTime(id);
    const row = await insertPaymentLink(tx, ctx.environment.id, {
      id,
      token: randomBytes(TOKEN_BYTES).toString("base64url"),
      name: input.name,
      ...price,
      description: input.description,
      single_use: input.single_use,
      asks_email: input.asks_email,
      active: true,
      expires_at: expiryOf(ctx, input.expires_at),
      created_at,
      updated_at: created_at,
    });
    await recordAct(ctx, tx, "payment_link.created", id);
    return presentLink(ctx, row, { plan, paid: false });
  });
}

async function priceOf(ctx: Context, tx: Orm, { plan_id, amount, currency }: CreatePaymentLinkBody) {
  if (plan_id === null) {
    if (amount === null || currency === null) throw new Error("a link needs a plan, or an amount and a currency");
    if (!isSupportedCurrency(currency)) throw currencyNotSupported(currency);
    return { plan_id: null, amount, currency, plan: null };
  }
  const id = decodeId("plan", plan_id);
  const plan = requireSellable(id === null ? null : await findPlan(tx, ctx.environment.id, id), plan_id);
  return { plan_id: plan.id, amount: null, currency: null, plan };
}

function expiryOf(ctx: Context, given: string | null): string | null {
  if (given === null) return null;
  const at = instantOf(given);
  if (at.getTime() > environmentNow(ctx).getTime()) return at.toISOString();
  const message = "Choose a time in the future.";
  throw new AppError("invalid_parameter", message, {
    errors: [{ param: "expires_at", code: "invalid_parameter", message }],
  });
}

/** Changes the given fields. Without a difference nothing is written, not even `updated_at`. */
export async function updatePaymentLink(
  ctx: Context,
  input: UpdatePaymentLinkBody & { id: string },
): Promise<PaymentLink> {
  const { id: publicId, ...sent } = input;
  const id = decodeId("paymentLink", publicId);
  await ctx.service.db.within(ctx.environment.id).orm.transaction(async (tx) => {
    const row = id === null ? null : await lockPaymentLink(tx, ctx.environment.id, id);
    if (row === null) throw resourceNotFound("payment link", publicId);
    if (sent.description === null && row.plan_id === null) throw descriptionMissing();
    const sentExpiry = sent.expires_at && instantOf(sent.expires_at).toISOString();
    const wanted = {
      ...sent,
      // An unchanged expiry may be in the past; only a new one must be in the future.
      ...(sentExpiry && { expires_at: sentExpiry === row.expires_at ? sentExpiry : expiryOf(ctx, sentExpiry) }),
    };
    const changes = Object.entries(wanted).filter(
      ([member, value]) => value !== undefined && value !== row[member as keyof typeof wanted],
    );
    if (changes.length === 0) return;
    const updated_at = environmentNow(ctx).toISOString();
    await writeLink(tx, ctx.environment.id, row.id, { ...Object.fromEntries(changes), updated_at });
    await recordAct(ctx, tx, "payment_link.updated", row.id, { changed: changes.map(([member]) => member) });
  });
  const { sql, orm } = ctx.service.db.within(ctx.environment.id);
  const row = id === null ? null : await findLinkWithState(sql, ctx.environment.id, id);
  if (row === null) throw resourceNotFound("payment link", publicId);
  const plan = row.plan_id === null ? null : await findPlan(orm, ctx.environment.id, row.plan_id);
  return presentLink(ctx, row, { plan, paid: row.paid });
}

function descriptionMissing(): AppError {
  const message = "Describe what you sell: shoppers see it on the payment page.";
  return new AppError("missing_parameter", message, {
    errors: [{ param: "description", code: "missing_parameter", message }],
  });
}

const LIMIT = 20;
/** Max sales of a link that are summed, newest first; a thousand take a few milliseconds. */
const MAX_SUMMED_SALES = 5_000;

/** One page of the environment's links, newest first. ACTIVE: those that shoppers can pay now. */
export async function listPaymentLinks(
  ctx: Context,
  input: PaymentLinkListQuery,
): Promise<ListResult<PaymentLinkItem>> {
  const { sql, orm } = ctx.service.db.within(ctx.environment.id);
  const offset = input.offset ?? 0;
  const filter = { sellingAt: input.status === "ACTIVE" ? environmentNow(ctx).toISOString() : null };
  const [rows, total] = await Promise.all([
    selectLinks(sql, ctx.environment.id, filter, { limit: LIMIT + 1, offset }, MAX_SUMMED_SALES + 1),
    countPaymentLinks(sql, ctx.environment.id, filter, TOTAL_CAP + 1),
  ]);
  const shown = rows.slice(0, LIMIT);
  const ids = [...new Set(shown.flatMap(({ plan_id }) => plan_id ?? []))];
  const plans = new Map((await findPlans(orm, ctx.environment.id, ids)).map((plan) => [plan.id, plan]));
  const items = shown.map((row) => presentItem(ctx, row, row.plan_id && (plans.get(row.plan_id) ?? null)));
  return presentList(items, { hasMore: rows.length > LIMIT, total }, LIMIT, offset);
}

/** A link with its sales, and its creator. */
export async function getPaymentLink(ctx: Context, input: { id: string }): Promise<PaymentLinkDetail> {
  const { sql, orm } = ctx.service.db.within(ctx.environment.id);
  const id = decodeId("paymentLink", input.id);
  const row = id === null ? null : await findListedLink(sql, ctx.environment.id, id, MAX_SUMMED_SALES + 1);
  if (row === null) throw resourceNotFound("payment link", input.id);
  const [plan, creator] = await Promise.all([
    row.plan_id === null ? null : findPlan(orm, ctx.environment.id, row.plan_id),
    findLinkCreator(sql, ctx.environment.id, row.id),
  ]);
  const owner = { id: ctx.environment.id, merchantId: ctx.environment.merchantId };
  const names = await readActorNames(sql, owner, creator ? [creator] : []);
  return {
    link: presentItem(ctx, row, plan),
    plan: plan && presentPlan(plan, ctx.environment.mode),
    created_by: creator && presentActor(creator, names),
  };
}

function presentItem(ctx: Context, row: ListedLink, plan: PlanRow | null | ""): PaymentLinkItem {
  const known = plan || null;
  return {
    ...presentLink(ctx, row, { plan: known, paid: row.paid }),
    plan_name: known?.name ?? null,
    terms: known && planTermsOf(known),
    opened: row.opened,
    sales: {
      count: Math.min(row.sales, MAX_SUMMED_SALES),
      capped: row.sales > MAX_SUMMED_SALES,
      captured: row.captured,
    },
  };
}

type LinkContext = { plan: PlanRow | null; paid: boolean };

/** The link's current price in minor units: its own amount, or its plan's first payment. */
export const linkPrice = (row: Pick<PaymentLinkRow, "amount" | "currency">, plan: PlanRow | null) => ({
  amount: plan ? dueAtOnce(planTermsOf(plan)) : (row.amount ?? 0),
  currency: plan ? plan.currency : (row.currency ?? ""),
});

function presentLink(ctx: Context, row: PaymentLinkRow, around: LinkContext): PaymentLink {
  return {
    id: encodeId("paymentLink", row.id),
    object: "payment_link",
    url: `${ctx.service.baseUrl}/link/${row.token}`,
    status: paymentLinkStatus(environmentNow(ctx), row, around),
    name: row.name,
    plan_id: encodeIdOrNull("plan", row.plan_id),
    ...linkPrice(row, around.plan),
    description: row.description,
    single_use: row.single_use,
    asks_email: row.asks_email,
    active: row.active,
    expires_at: row.expires_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/** Status shown to visitors. Paid has precedence: such a link never sells again. */
export function paymentLinkStatus(now: Date, row: PaymentLinkRow, { plan, paid }: LinkContext): PaymentLinkStatus {
  if (paid) return "COMPLETED";
  if (!row.active) return "INACTIVE";
  if (row.expires_at !== null && Date.parse(row.expires_at) <= now.getTime()) return "EXPIRED";
  return row.plan_id === null || plan?.status === "ACTIVE" ? "ACTIVE" : "PLAN_INACTIVE";
}
