import Stripe from "stripe";
import { z } from "zod";
import type { Clock } from "@/lib/clock";
import { type PushedReports, type Report, UnreadableReportError } from "../port";
import { METADATA } from "./outcomes";

/** What Stripe is to tell us of, and what is looked through for messages that never arrived. */
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
] as const satisfies Stripe.Event.Type[];

const TOLERANCE_SECONDS = 300;
const PAGE = 100;
/** So many pages are looked through for where to begin; of what is older, messages have told. */
const MOST_PAGES = 10;
const HOUR_SECONDS = 3_600;
/** What happened just now may be about a refund whose id is being kept: it is looked at once that is over. */
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

  /** Newest first, as Stripe lists them: those of an hour, or those after a place. */
  const list = (after: Stripe.EventListParams) => stripe.events.list({ types: [...EVENTS], limit: PAGE, ...after });

  async function catchUp(place: string | null) {
    const now = Math.floor(clock.now().getTime() / 1_000);
    const page = await pageAfter(place, now);
    const settled = page.data.toReversed().filter(({ created }) => created <= now - SETTLED_AFTER_SECONDS);
    // One that cannot be read holds up none after it.
    const reports = settled.flatMap((event) => reportsOf(event, live) ?? []);
    const isWhole = settled.length === page.data.length;
    return { reports, place: settled.at(-1)?.id ?? place, more: isWhole && page.has_more && settled.length > 0 };
  }

  /** Stripe forgets events after 30 days: after a place that is gone comes all that it still has. */
  async function pageAfter(place: string | null, now: number): Promise<{ data: Stripe.Event[]; has_more: boolean }> {
    if (place === null) return oldestPage({ created: { gte: now - HOUR_SECONDS } });
    try {
      return await list({ ending_before: place });
    } catch (error) {
      if (!isGone(error)) throw error;
      return oldestPage({});
    }
  }

  /** Without a place it begins with the oldest, of as many as are looked through, and goes on from there. */
  async function oldestPage(range: Stripe.EventListParams): Promise<{ data: Stripe.Event[]; has_more: boolean }> {
    let page = await list(range);
    let pages = 1;
    for (let last = page.data.at(-1); page.has_more && last && pages < MOST_PAGES; last = page.data.at(-1), pages++)
      page = await list({ ...range, starting_after: last.id });
    return { data: page.data, has_more: pages > 1 };
  }

  return { kind: "pushed", read, catchUp };
}

const isGone = (error: unknown) =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.code === "resource_missing";

/** Ids are asked for and looked up in the database, which holds no NUL. */
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
const ofDispute = about({ id, payment_intent: z.union([id, z.object({ id })]).nullish() });

/** Where to look; what is not about a payment of ours, or of another account or mode, is nothing to look at. Null: unreadable. */
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
  const { data: read } = ofPayment.safeParse(given);
  if (!read) return null;
  const { id: object, metadata } = read.data.object;
  return metadata?.[METADATA.reference] ? [{ id: read.id, object }] : [];
}

/** A refund without our reference was made at Stripe. One of ours is known when it is made, and its call keeps its id. */
function refundReports(type: string, given: unknown): Report[] | null {
  const { data: read } = ofRefund.safeParse(given);
  if (!read) return null;
  const { id: object, payment_intent: intent, metadata } = read.data.object;
  if (metadata?.[METADATA.reference]) return type === "refund.created" ? [] : [{ id: read.id, object }];
  if (!intent) return [];
  return [{ id: read.id, object: typeof intent === "string" ? intent : intent.id, outside: true }];
}

const isOurs = (type: string): boolean => EVENTS.some((one) => one === type);
