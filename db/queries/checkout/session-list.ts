import { and, desc, eq, gt, isNotNull, isNull, lte, or } from "drizzle-orm";
import type { Orm, Sql } from "@/db/client";
import { type ClientSessionRow, clientSessions, paymentLinks } from "@/db/schema/checkout";
import type { ActorRecord } from "@/db/schema/operations";
import { plans } from "@/db/schema/plans";
import type { ClientSessionStatus } from "@/lib/contract/checkout/client-session";
import type { DeclineCode } from "@/lib/contract/errors";
import type { CardBrand, TransactionStatus } from "@/lib/contract/transactions/words";
import { countUpTo } from "../statement-text";

export type ListedSession = {
  session: ClientSessionRow;
  plan: { id: string; name: string } | null;
  /** The link that opened it. */
  link: { id: string; name: string | null; description: string | null } | null;
};
type SessionFilter = {
  status: ClientSessionStatus | undefined;
  /** ISO 8601: separates expired from open sessions, which the database does not store. */
  now: string;
  /** Sessions that this link opened. Null: all sessions, except untried ones of links. */
  linkId: string | null;
};

/** `EXPIRED` is an open session past its time, unless it has a payment in progress. */
function matching(environmentId: string, { status, now, linkId }: SessionFilter) {
  const own = and(
    eq(clientSessions.environment_id, environmentId),
    linkId === null
      ? or(isNull(clientSessions.payment_link_id), gt(clientSessions.attempts, 0))
      : eq(clientSessions.payment_link_id, linkId),
  );
  switch (status) {
    case undefined:
      return own;
    case "OPEN":
      return and(
        own,
        eq(clientSessions.status, "OPEN"),
        or(gt(clientSessions.expires_at, now), isNotNull(clientSessions.open_payment_id)),
      );
    case "EXPIRED":
      return and(
        own,
        eq(clientSessions.status, "OPEN"),
        lte(clientSessions.expires_at, now),
        isNull(clientSessions.open_payment_id),
      );
    case "COMPLETED":
    case "CANCELLED":
      return and(own, eq(clientSessions.status, status));
    default:
      return status satisfies never;
  }
}

const LISTED = {
  session: clientSessions,
  plan: { id: plans.id, name: plans.name },
  link: { id: paymentLinks.id, name: paymentLinks.name, description: paymentLinks.description },
};
const ofPlan = and(eq(plans.environment_id, clientSessions.environment_id), eq(plans.id, clientSessions.plan_id));
const ofLink = and(
  eq(paymentLinks.environment_id, clientSessions.environment_id),
  eq(paymentLinks.id, clientSessions.payment_link_id),
);

/** Newest first: descending primary key, whose UUIDv7 holds the creation time. */
export function listClientSessions(
  orm: Orm,
  environmentId: string,
  filter: SessionFilter,
  page: { limit: number; offset: number },
): Promise<ListedSession[]> {
  return orm
    .select(LISTED)
    .from(clientSessions)
    .leftJoin(plans, ofPlan)
    .leftJoin(paymentLinks, ofLink)
    .where(matching(environmentId, filter))
    .orderBy(desc(clientSessions.id))
    .limit(page.limit)
    .offset(page.offset);
}

/** Number of matches, counted no further than `cap` + 1. */
export async function countClientSessions(
  orm: Orm,
  environmentId: string,
  filter: SessionFilter,
  cap: number,
): Promise<number> {
  return countUpTo(orm, clientSessions, matching(environmentId, filter), cap + 1);
}

/** A session with its plan; null if the environment has no such session. */
export async function findSessionWithPlan(orm: Orm, environmentId: string, id: string): Promise<ListedSession | null> {
  const rows = await orm
    .select(LISTED)
    .from(clientSessions)
    .leftJoin(plans, ofPlan)
    .leftJoin(paymentLinks, ofLink)
    .where(and(eq(clientSessions.environment_id, environmentId), eq(clientSessions.id, id)));
  return rows[0] ?? null;
}

export type SessionChargeRow = {
  id: string;
  payment_id: string;
  status: TransactionStatus;
  amount: number;
  currency: string;
  card_brand: CardBrand | null;
  card_last4: string | null;
  decline_code: DeclineCode | null;
  created_at: string;
};

/** The charges attempted in a session, newest first. Index: `transactions_client_session`. */
export function listSessionCharges(
  sql: Sql,
  environmentId: string,
  sessionId: string,
  limit: number,
): Promise<SessionChargeRow[]> {
  return sql<SessionChargeRow[]>`
    select id, payment_id, status, amount, currency, card_brand, card_last4, decline_code, created_at
    from transactions
    where environment_id = ${environmentId}::uuid and client_session_id = ${sessionId}::uuid and type = 'CHARGE'
    order by id desc limit ${limit}::int`;
}

export type SessionAct = { action: string; actor: ActorRecord; created_at: string };

/** Acts of users and keys on a session, oldest first. Index: `audit_log_object`. */
export function listSessionActs(sql: Sql, environmentId: string, sessionId: string): Promise<SessionAct[]> {
  return sql<SessionAct[]>`
    select action, actor, created_at from audit_log
    where environment_id = ${environmentId}::uuid and object_id = ${sessionId}::uuid
      and action in ('client_session.created', 'client_session.cancelled')
    order by id`;
}
