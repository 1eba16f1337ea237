import { listOwnerAddresses } from "@/db/queries/team";
import { listLastAttempts } from "@/db/queries/webhooks/deliveries";
import {
  listFailingEndpoints,
  listFailingNow,
  listNoticedEndpoints,
  type NoticeDue,
  takeNotices,
} from "@/db/queries/webhooks/endpoints";
import { decodeId, encodeId } from "@/lib/contract/ids";
import type {
  EndpointNotice,
  FailingEndpoint,
  LastResponse,
  NoticedEndpoint,
} from "@/lib/contract/webhooks/webhook-endpoint";
import { writeMail } from "../accounts/mail";
import type { Context, Service } from "../context";

const DAY_MS = 86_400_000;
/** An endpoint is disabled after failing every attempt for this long. */
export const DISABLED_AFTER_MS = 5 * DAY_MS;
/** Its owners are notified after this time. */
const NOTIFIED_AFTER_MS = 3 * DAY_MS;
/** Longer than a receiver's deployment takes; shown on its page from then on. */
const SHOWN_AFTER_MS = 3_600_000;

const before = ({ clock }: Pick<Service, "clock">, ms: number) => new Date(clock.now().getTime() - ms).toISOString();

const MAX_SHOWN = 50;

/** Endpoints without a success for an hour, longest first. */
export async function listFailing(ctx: Context): Promise<FailingEndpoint[]> {
  const { orm } = ctx.service.db.within(ctx.environment.id);
  const rows = await listFailingEndpoints(orm, ctx.environment.id, before(ctx.service, SHOWN_AFTER_MS), MAX_SHOWN);
  return rows.map(({ id, url, failing_since }) => {
    const since = failing_since as string;
    const disabledAt = new Date(Date.parse(since) + DISABLED_AFTER_MS).toISOString();
    return { id: encodeId("webhookEndpoint", id), url, since, disabledAt };
  });
}

/** The endpoints that are failing now, with their newest response. */
export async function readFailingNow(
  ctx: Context,
  endpoints: readonly { id: string }[],
): Promise<Map<string, LastResponse>> {
  const { sql } = ctx.service.db.within(ctx.environment.id);
  const rows = await listFailingNow(sql, ctx.environment.id, idsOf("webhookEndpoint", endpoints));
  return new Map(
    rows.map(({ id, status_code }) => [encodeId("webhookEndpoint", id), { status: status_code, failed: true }]),
  );
}

/** Result of the newest attempt of each delivery; deliveries never tried are absent. */
export async function readLastResponses(
  ctx: Context,
  deliveries: readonly { id: string }[],
): Promise<Map<string, LastResponse>> {
  const { orm } = ctx.service.db.within(ctx.environment.id);
  const rows = await listLastAttempts(orm, ctx.environment.id, idsOf("webhookDelivery", deliveries));
  return new Map(
    rows.map(({ delivery_id, status_code, error }) => [
      encodeId("webhookDelivery", delivery_id),
      { status: status_code, failed: error !== null },
    ]),
  );
}

const idsOf = (kind: "webhookEndpoint" | "webhookDelivery", shown: readonly { id: string }[]): string[] =>
  shown.flatMap(({ id }) => decodeId(kind, id) ?? []);

/** Endpoints whose owners were notified, while the reason lasts: for a banner on every page. */
export async function listNoticed(ctx: Context): Promise<NoticedEndpoint[]> {
  const { orm } = ctx.service.db.within(ctx.environment.id);
  const rows = await listNoticedEndpoints(orm, ctx.environment.id, MAX_SHOWN);
  return rows.map(({ id, last_notice }) => ({
    id: encodeId("webhookEndpoint", id),
    notice: last_notice as EndpointNotice,
  }));
}

/** Endpoints per transaction. */
const ENDPOINTS_PER_RUN = 20;
const MAX_OWNERS = 20;

/**
 * Job that mails owners when an endpoint has failed for three days, and when
 * it is disabled. A notice is recorded in the commit that writes its mails,
 * so it is sent once, even after a crash. Returns the number of endpoints.
 */
export function notifyOfFailing(service: Pick<Service, "db" | "clock" | "baseUrl">): Promise<number> {
  return service.db.orm.transaction(async (tx) => {
    const due = await takeNotices(tx, before(service, NOTIFIED_AFTER_MS), ENDPOINTS_PER_RUN);
    for (const notice of due) {
      for (const recipient of await listOwnerAddresses(tx, notice.merchant_id, MAX_OWNERS)) {
        await writeMail(tx, { recipient, ...mailOf(notice, service.baseUrl) });
      }
    }
    return due.length;
  });
}

const NOTICE_TEXTS: Record<EndpointNotice, { subject: string; paragraphs: readonly [first: string, last: string] }> = {
  failing: {
    subject: "A webhook endpoint has failed for three days",
    paragraphs: [
      "One of your webhook endpoints hasn't accepted an event for three days. We keep trying, but disable it if nothing gets through in two more days. View its deliveries:",
      "Once it works again, events are delivered automatically.",
    ],
  },
  disabled: {
    subject: "A webhook endpoint was disabled",
    paragraphs: [
      "One of your webhook endpoints stopped accepting events, so we disabled it. View its responses:",
      "Once it works again, enable it and use “Send missed events”. We keep events for 90 days.",
    ],
  },
};

/** Without the endpoint's URL, which is user-chosen text. */
function mailOf({ id, notice, mode }: NoticeDue, baseUrl: string) {
  const { subject, paragraphs } = NOTICE_TEXTS[notice];
  const link = `${baseUrl}/${mode}/developers/webhooks/${encodeId("webhookEndpoint", id)}`;
  return { subject, paragraphs: [paragraphs[0], link, paragraphs[1]] };
}
