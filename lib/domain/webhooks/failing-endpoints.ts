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
/** An endpoint that every attempt has failed at for so long is disabled. */
export const DISABLED_AFTER_MS = 5 * DAY_MS;
/** After so long its owners are told. */
const TOLD_AFTER_MS = 3 * DAY_MS;
/** Longer than a release of the receiver takes: then it is worth a line on its page. */
const SHOWN_AFTER_MS = 3_600_000;

const before = ({ clock }: Pick<Service, "clock">, ms: number) => new Date(clock.now().getTime() - ms).toISOString();

const MOST_SHOWN = 50;

/** Endpoints that nothing has reached for an hour, longest first. */
export async function listFailing(ctx: Context): Promise<FailingEndpoint[]> {
  const { orm } = ctx.service.db.within(ctx.environment.id);
  const rows = await listFailingEndpoints(orm, ctx.environment.id, before(ctx.service, SHOWN_AFTER_MS), MOST_SHOWN);
  return rows.map(({ id, url, failing_since }) => {
    const since = failing_since as string;
    const disabledAt = new Date(Date.parse(since) + DISABLED_AFTER_MS).toISOString();
    return { id: encodeId("webhookEndpoint", id), url, since, disabledAt };
  });
}

/** Which of the endpoints fail at the moment, with the newest response there. */
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

/** Endpoints whose owners were told of them, for as long as that is true: for a banner on every page. */
export async function listNoticed(ctx: Context): Promise<NoticedEndpoint[]> {
  const { orm } = ctx.service.db.within(ctx.environment.id);
  const rows = await listNoticedEndpoints(orm, ctx.environment.id, MOST_SHOWN);
  return rows.map(({ id, last_notice }) => ({
    id: encodeId("webhookEndpoint", id),
    notice: last_notice as EndpointNotice,
  }));
}

/** Endpoints whose owners are told in one go. */
const AT_ONCE = 20;
const MOST_OWNERS = 20;

/**
 * The job that mails owners when an endpoint of theirs has failed for three days, and when it was disabled. A notice is
 * kept in the commit that writes its mails: each is given once, whatever dies. Returns how many endpoints it told of.
 */
export function notifyOfFailing(service: Pick<Service, "db" | "clock" | "baseUrl">): Promise<number> {
  return service.db.orm.transaction(async (tx) => {
    const due = await takeNotices(tx, before(service, TOLD_AFTER_MS), AT_ONCE);
    for (const notice of due) {
      for (const recipient of await listOwnerAddresses(tx, notice.merchant_id, MOST_OWNERS)) {
        await writeMail(tx, { recipient, ...mailOf(notice, service.baseUrl) });
      }
    }
    return due.length;
  });
}

const WORDS: Record<EndpointNotice, { subject: string; paragraphs: readonly [first: string, last: string] }> = {
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

/** Without the endpoint's own address, which is text that somebody chose. */
function mailOf({ id, notice, mode }: NoticeDue, baseUrl: string) {
  const { subject, paragraphs } = WORDS[notice];
  const link = `${baseUrl}/${mode}/developers/webhooks/${encodeId("webhookEndpoint", id)}`;
  return { subject, paragraphs: [paragraphs[0], link, paragraphs[1]] };
}
