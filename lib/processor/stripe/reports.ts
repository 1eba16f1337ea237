import Stripe from "stripe";
import { z } from "zod";
import type { Clock } from "@/lib/clock";
import { type PushedReports, type Report, UnreadableReportError } from "../port";
import { knownCard, METADATA } from "./outcomes";

/** Event types of the webhook. The same events are listed to find messages that never arrived. */
export const EVENTS = [
  "payment_intent.succeeded",
  "payment_intent.amount_capturable_updated",
  "payment_intent.processing",
  "payment_intent.payment_failed",
  "payment_intent.canceled",
  "refund.created",
  "refund.updated",
  "refund.failed",
  "charge.dispute.created",
  "charge.dispute.updated",
  "charge.dispute.closed",
  "charge.dispute.funds_withdrawn",
  "charge.dispute.funds_reinstated",
  "payment_method.automatically_updated",
  "payment_method.detached",
] as const satisfies Stripe.Event.Type[];

const TOLERANCE_SECONDS = 300;
const PAGE = 100;
/** Max pages searched for the starting position. Older events have arrived as messages. */
const MAX_PAGES = 10;
const HOUR_SECONDS = 3_600;
/**
 * A newer event may be about a refund whose id is still being stored, so events are read after this delay.
 */
const SETTLED_AFTER_SECONDS = 30;

type Terms = { webhookSecret: string | undefined; live: boolean; clock: Clock };

export function stripeReports(stripe: Stripe, { webhookSecret, live, clock }: Terms): PushedReports {
  function read({ headers, body }: { readonly headers: Headers; readonly body: string }): Report[] {
    if (!webhookSecret) throw new UnreadableReportError("the connection has no webhook secret yet");
    const signature = headers.get("stripe-signature") ?? "";
    let event: unknown;
    try {
      const receivedAt = clock.now().getTime();
      event = stripe.webhooks.constructEvent(body, signature, webhookSecret, TOLERANCE_SECONDS, undefined, receivedAt);
    } catch (error) {
      throw new UnreadableReportError("its signature is not Stripe's, or too old", { cause: error });
    }
    const reports = reportsOf(event, live);
    if (!reports) throw new UnreadableReportError("it is no event of Stripe's");
    return reports;
  }

  /** Newest first, as Stripe lists them: the last hour's events, or those after a position. */
  const list = (after: Stripe.EventListParams) => stripe.events.list({ types: [...EVENTS], limit: PAGE, ...after });

  async function catchUp(cursor: string | null) {
    const now = Math.floor(clock.now().getTime() / 1_000);
    const page = await pageAfter(cursor, now);
    const settled = page.data.toReversed().filter(({ created }) => created <= now - SETTLED_AFTER_SECONDS);
    // An unreadable event doesn't block later ones.
    const reports = settled.flatMap((event) => reportsOf(event, live) ?? []);
    const isWhole = settled.length === page.data.length;
    return { reports, cursor: settled.at(-1)?.id ?? cursor, more: isWhole && page.has_more && settled.length > 0 };
  }

  /** Stripe deletes events after 30 days. After a deleted position, all remaining events follow. */
  async function pageAfter(cursor: string | null, now: number): Promise<{ data: Stripe.Event[]; has_more: boolean }> {
    if (cursor === null) return oldestPage({ created: { gte: now - HOUR_SECONDS } });
    try {
      return await list({ ending_before: cursor });
    } catch (error) {
      if (!isGone(error)) throw error;
      return oldestPage({});
    }
  }

  /** Without a position, starts with the oldest event within the max number of pages. */
  async function oldestPage(range: Stripe.EventListParams): Promise<{ data: Stripe.Event[]; has_more: boolean }> {
    let page = await list(range);
    let pages = 1;
    for (let last = page.data.at(-1); page.has_more && last && pages < MAX_PAGES; last = page.data.at(-1), pages++)
      page = await list({ ...range, starting_after: last.id });
    return { data: page.data, has_more: pages > 1 };
  }

  return { kind: "pushed", read, catchUp };
}

const isGone = (error: unknown) =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.code === "resource_missing";

/** Ids are used in requests and in database lookups, so no NUL or other special characters. */
const id = z.string().regex(/^[\w-]{1,255}$/);
const envelope = z.object({ type: z.string(), livemode: z.boolean(), account: z.unknown().optional() });
const about = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object({ id, data: z.object({ object: z.object(shape) }) });
const references = z.record(z.string(), z.string());
const ofPayment = about({ id, metadata: references.nullish() });
const ofRefund = about({
  id,
  payment_intent: z.union([id, z.object({ id })]).nullish(),
  metadata: references.nullish(),
});
const ofMethod = about({
  id,
  card: z
    .object({
      brand: z.string(),
      last4: z.string().regex(/^\d{4}$/),
      exp_month: z.int().min(1).max(12),
      exp_year: z.int().min(2000).max(2199),
    })
    .nullish(),
});
const ofDispute = about({ id, payment_intent: z.union([id, z.object({ id })]).nullish() });

/** Reports of an event; none if it isn't about our payments, account or mode. Null if unreadable. */
function reportsOf(given: unknown, live: boolean): Report[] | null {
  const { data: event } = envelope.safeParse(given);
  if (!event) return null;
  if (event.livemode !== live || event.account !== undefined || !isOurs(event.type)) return [];
  if (event.type.startsWith("charge.dispute.")) {
    const { data: read } = ofDispute.safeParse(given);
    if (!read) return null;
    const { id: dispute, payment_intent: intent } = read.data.object;
    if (!intent) return [];
    return [{ id: read.id, object: typeof intent === "string" ? intent : intent.id, dispute }];
  }
  if (event.type.startsWith("refund.")) return refundReports(event.type, given);
  if (event.type.startsWith("payment_method.")) return storedCardReports(event.type, given);
  const { data: read } = ofPayment.safeParse(given);
  if (!read) return null;
  const { id: object, metadata } = read.data.object;
  return metadata?.[METADATA.reference] ? [{ id: read.id, object }] : [];
}

/** A refund without our reference was made at Stripe. Our own refunds store their ids when they are made. */
function refundReports(type: string, given: unknown): Report[] | null {
  const { data: read } = ofRefund.safeParse(given);
  if (!read) return null;
  const { id: object, payment_intent: intent, metadata } = read.data.object;
  if (metadata?.[METADATA.reference]) return type === "refund.created" ? [] : [{ id: read.id, object }];
  if (!intent) return [];
  return [{ id: read.id, object: typeof intent === "string" ? intent : intent.id, outside: true }];
}

/** Stripe's tokens don't show which are ours, so cards of payments outside Cardlane are reported as well. */
function storedCardReports(type: string, given: unknown): Report[] | null {
  const { data: read } = ofMethod.safeParse(given);
  if (!read) return null;
  const { id: storedCard, card } = read.data.object;
  if (!card) return [];
  if (type === "payment_method.detached") return [{ id: read.id, storedCard, change: "removed" }];
  return [{ id: read.id, storedCard, change: "updated", card: knownCard(card) }];
}

const isOurs = (type: string): boolean => EVENTS.some((one) => one === type);
