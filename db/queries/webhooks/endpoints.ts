import { and, desc, eq, gt, inArray, isNull, lte, ne, notInArray, or, sql } from "drizzle-orm";
import type { Mode } from "@/lib/contract/transactions/words";
import type { EndpointNotice } from "@/lib/contract/webhooks/webhook-endpoint";
import type { Orm, Sql } from "../../client";
import { isTaken } from "../../refusals";
import { environments } from "../../schema/accounts";
import {
  type WebhookEndpointRow,
  type WebhookSecretRow,
  webhookEndpoints,
  webhookSecrets,
} from "../../schema/webhooks";

type EndpointValues = Omit<WebhookEndpointRow, "environment_id">;

const there = (environmentId: string) =>
  and(eq(webhookEndpoints.environment_id, environmentId), isNull(webhookEndpoints.deleted_at));
const byId = (environmentId: string, id: string) => and(there(environmentId), eq(webhookEndpoints.id, id));

/** Null if another endpoint has its URL. */
export async function insertWebhookEndpoint(
  orm: Orm,
  environmentId: string,
  endpoint: EndpointValues,
): Promise<WebhookEndpointRow | null> {
  const rows = await orm
    .insert(webhookEndpoints)
    .values({ environment_id: environmentId, ...endpoint })
    .onConflictDoNothing()
    .returning();
  return rows[0] ?? null;
}

/** An endpoint that is not deleted. */
export async function findWebhookEndpoint(
  orm: Orm,
  environmentId: string,
  id: string,
): Promise<WebhookEndpointRow | null> {
  const rows = await orm.select().from(webhookEndpoints).where(byId(environmentId, id));
  return rows[0] ?? null;
}

/** The same, locked until the transaction ends. */
export async function lockWebhookEndpoint(
  orm: Orm,
  environmentId: string,
  id: string,
): Promise<WebhookEndpointRow | null> {
  const rows = await orm.select().from(webhookEndpoints).where(byId(environmentId, id)).for("update");
  return rows[0] ?? null;
}

/** Updates a locked endpoint. */
export async function updateWebhookEndpoint(
  orm: Orm,
  environmentId: string,
  id: string,
  changes: Partial<Omit<EndpointValues, "url">>,
): Promise<WebhookEndpointRow> {
  const rows = await orm.update(webhookEndpoints).set(changes).where(byId(environmentId, id)).returning();
  if (rows[0] === undefined) throw new Error(`webhook endpoint ${id} vanished while it was locked`);
  return rows[0];
}

/** The same with a new URL: null if another endpoint has it, which ends the transaction. */
export async function moveWebhookEndpoint(
  orm: Orm,
  environmentId: string,
  id: string,
  changes: Partial<EndpointValues>,
): Promise<WebhookEndpointRow | null> {
  try {
    return await updateWebhookEndpoint(orm, environmentId, id, changes);
  } catch (error) {
    if (isTaken(error, "webhook_endpoints_url")) return null;
    throw error;
  }
}

/** Newest first. */
export function listWebhookEndpoints(
  orm: Orm,
  environmentId: string,
  page: { limit: number; offset: number },
): Promise<WebhookEndpointRow[]> {
  return orm
    .select()
    .from(webhookEndpoints)
    .where(there(environmentId))
    .orderBy(desc(webhookEndpoints.id))
    .limit(page.limit)
    .offset(page.offset);
}

export function countWebhookEndpoints(orm: Orm, environmentId: string): Promise<number> {
  return orm.$count(webhookEndpoints, there(environmentId));
}

/**
 * Enabled endpoints that have been failing since before a given time, longest first. An environment has few.
 */
export function listFailingEndpoints(
  orm: Orm,
  environmentId: string,
  before: string,
  limit: number,
): Promise<Pick<WebhookEndpointRow, "id" | "url" | "failing_since">[]> {
  return orm
    .select({ id: webhookEndpoints.id, url: webhookEndpoints.url, failing_since: webhookEndpoints.failing_since })
    .from(webhookEndpoints)
    .where(and(there(environmentId), isFailing(before)))
    .orderBy(webhookEndpoints.failing_since)
    .limit(limit);
}

/** Deliveries searched for an endpoint's latest attempt, because the newest may not have been tried yet. */
const LATEST_DELIVERIES = 100;

export type FailingNow = { id: string; status_code: number | null };

/**
 * Those of the endpoints that are failing, and the HTTP status of their newest attempt; null without a
 * response.
 */
export function listFailingNow(sql: Sql, environmentId: string, ids: readonly string[]): Promise<FailingNow[]> {
  return sql<FailingNow[]>`
    select e.id, a.status_code from webhook_endpoints e
    left join lateral (
      select id from (
        select id, attempts from webhook_deliveries
        where environment_id = e.environment_id and endpoint_id = e.id order by id desc limit ${LATEST_DELIVERIES}
      ) latest where attempts > 0 order by id desc limit 1
    ) d on true
    left join lateral (
      select status_code from webhook_attempts
      where environment_id = e.environment_id and delivery_id = d.id order by id desc limit 1
    ) a on true
    where e.environment_id = ${environmentId}::uuid and e.id = any(${[...ids]}::uuid[])
      and e.status = 'ENABLED' and e.failing_since is not null`;
}

/** Endpoints with a notice that still applies (failing, or disabled by us), newest first. */
export function listNoticedEndpoints(
  orm: Orm,
  environmentId: string,
  limit: number,
): Promise<Pick<WebhookEndpointRow, "id" | "last_notice">[]> {
  return orm
    .select({ id: webhookEndpoints.id, last_notice: webhookEndpoints.last_notice })
    .from(webhookEndpoints)
    .where(
      and(
        there(environmentId),
        or(
          and(eq(webhookEndpoints.last_notice, "disabled"), ne(webhookEndpoints.disabled_reason, "manual")),
          and(eq(webhookEndpoints.last_notice, "failing"), eq(webhookEndpoints.status, "ENABLED")),
        ),
      ),
    )
    .orderBy(desc(webhookEndpoints.id))
    .limit(limit);
}

const isFailing = (before: string) =>
  and(eq(webhookEndpoints.status, "ENABLED"), lte(webhookEndpoints.failing_since, before));

export type NoticeDue = { id: string; notice: EndpointNotice; merchant_id: string; mode: Mode };

/**
 * Claims pending notices: endpoints failing since before a given time, and endpoints that we disabled. Spans
 * all environments and skips rows locked by another process; call it in the transaction that sends them.
 */
export async function takeNotices(tx: Orm, failingBefore: string, limit: number): Promise<NoticeDue[]> {
  const { status, disabled_reason, last_notice } = webhookEndpoints;
  const isOff = and(eq(status, "DISABLED"), inArray(disabled_reason, ["gone", "failing"]));
  const notice = sql<EndpointNotice>`case when ${status} = 'DISABLED' then 'disabled' else 'failing' end`;
  const due = await tx
    .select({
      environment_id: webhookEndpoints.environment_id,
      id: webhookEndpoints.id,
      notice,
      merchant_id: environments.merchant_id,
      mode: environments.mode,
    })
    .from(webhookEndpoints)
    .innerJoin(environments, eq(environments.id, webhookEndpoints.environment_id))
    .where(
      and(
        isNull(webhookEndpoints.deleted_at),
        or(
          and(isFailing(failingBefore), isNull(last_notice)),
          and(isOff, or(isNull(last_notice), ne(last_notice, "disabled"))),
        ),
      ),
    )
    .orderBy(webhookEndpoints.environment_id, webhookEndpoints.id)
    .limit(limit)
    .for("update", { of: webhookEndpoints, skipLocked: true });
  for (const { environment_id, id, notice: last } of due) {
    await tx.update(webhookEndpoints).set({ last_notice: last }).where(byId(environment_id, id));
  }
  return due;
}

export async function insertWebhookSecret(
  orm: Orm,
  environmentId: string,
  secret: Omit<WebhookSecretRow, "environment_id" | "expires_at">,
): Promise<void> {
  await orm.insert(webhookSecrets).values({ environment_id: environmentId, ...secret, expires_at: null });
}

const secretsOf = (environmentId: string, endpointId: string) =>
  and(eq(webhookSecrets.environment_id, environmentId), eq(webhookSecrets.endpoint_id, endpointId));

/**
 * Max secrets besides the newest that sign: each adds up to 140 bytes to a header, and receivers accept about
 * 8 kB of headers.
 */
const MAX_EARLIER = 4;

/**
 * Call it before adding a secret: ends all current ones at `expiresAt` at the latest. Removes those that
 * ended before `now`, and the oldest over the maximum.
 */
export async function expireWebhookSecrets(
  orm: Orm,
  environmentId: string,
  endpointId: string,
  { expiresAt, now }: { expiresAt: string; now: string },
): Promise<void> {
  await orm
    .update(webhookSecrets)
    .set({ expires_at: sql`least(${webhookSecrets.expires_at}, ${expiresAt}::timestamptz)` })
    .where(secretsOf(environmentId, endpointId));
  const newest = orm
    .select({ id: webhookSecrets.id })
    .from(webhookSecrets)
    .where(secretsOf(environmentId, endpointId))
    .orderBy(desc(webhookSecrets.id))
    .limit(MAX_EARLIER);
  await orm
    .delete(webhookSecrets)
    .where(
      and(
        secretsOf(environmentId, endpointId),
        or(lte(webhookSecrets.expires_at, now), notInArray(webhookSecrets.id, newest)),
      ),
    );
}

export async function deleteWebhookSecrets(orm: Orm, environmentId: string, endpointId: string): Promise<void> {
  await orm.delete(webhookSecrets).where(secretsOf(environmentId, endpointId));
}

/** Secrets valid at `now`, newest first. */
export function listWebhookSecrets(
  orm: Orm,
  environmentId: string,
  endpointId: string,
  now: string,
): Promise<WebhookSecretRow[]> {
  return orm
    .select()
    .from(webhookSecrets)
    .where(
      and(
        secretsOf(environmentId, endpointId),
        or(isNull(webhookSecrets.expires_at), gt(webhookSecrets.expires_at, now)),
      ),
    )
    .orderBy(desc(webhookSecrets.id))
    .limit(1 + MAX_EARLIER);
}

/** Public key of each endpoint's newest secret, by endpoint id. */
export async function readPublicKeys(orm: Orm, environmentId: string, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await orm
    .select({ id: webhookSecrets.endpoint_id, key: webhookSecrets.public_key })
    .from(webhookSecrets)
    .where(
      and(
        eq(webhookSecrets.environment_id, environmentId),
        or(...ids.map((id) => eq(webhookSecrets.endpoint_id, id))),
        isNull(webhookSecrets.expires_at),
      ),
    );
  return new Map(rows.map(({ id, key }) => [id, key]));
}
