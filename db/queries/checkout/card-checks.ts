import { and, eq, sql as fragment } from "drizzle-orm";
import type { Orm, Sql, Transaction } from "@/db/client";
import { type CardCheck, type ClientSessionRow, clientSessions } from "@/db/schema/checkout";
import { MAX_SESSION_ATTEMPTS } from "@/lib/contract/checkout/attempts";
import { clockNow } from "../clock";
import type { Fragment } from "../statement-text";

/**
 * Condition that the session's payment link, if any, still accepts payments: it is active and not expired,
 * and if it is single-use, it belongs to this session.
 */
export const linkSells = (
  sql: Sql | Transaction,
  now: Fragment,
) => sql`(client_sessions.payment_link_id is null or exists (
  select from payment_links l
  where l.environment_id = client_sessions.environment_id and l.id = client_sessions.payment_link_id
    and l.active and (l.expires_at is null or l.expires_at > ${now})
    and (not l.single_use or l.session_id = client_sessions.id)))`;

/** Condition that the session checks no card. `now`: the environment's time. */
export const checksNoCard = (sql: Sql | Transaction, now: Fragment) => sql`(client_sessions.card_check is null
  or case client_sessions.card_check->>'state' when 'running' then (client_sessions.card_check->>'until')::timestamptz <= now()
    when 'action_required' then (client_sessions.card_check->>'until')::timestamptz <= ${now} else true end)`;

/**
 * Begins a check of a card, which counts as an attempt and blocks any other until it ends; a repeat of a
 * check that is still running continues it, after its time only while the session takes cards. False: the
 * session is paid, closed, busy or out of attempts.
 */
export async function claimCardCheck(
  sql: Sql,
  environmentId: string,
  sessionId: string,
  check: CardCheck,
): Promise<boolean> {
  const now = clockNow(sql, environmentId);
  const isOwn = sql`(card_check->>'reference' = ${check.reference} and card_check->>'state' = 'running')`;
  const rows = await sql`
    update client_sessions set card_check = ${check as never}::jsonb, updated_at = ${now},
      attempts = attempts + case when card_check->>'reference' = ${check.reference} then 0 else 1 end
    where environment_id = ${environmentId}::uuid and id = ${sessionId}::uuid and status = 'OPEN' and open_payment_id is null
      and ((${isOwn} and not ${checksNoCard(sql, now)})
        or (${checksNoCard(sql, now)} and expires_at > ${now} and ${linkSells(sql, now)}
          and case when card_check->>'reference' = ${check.reference} then ${isOwn} else attempts < ${MAX_SESSION_ATTEMPTS}::int end))
    returning 1`;
  return rows.length === 1;
}

const byId = (environmentId: string, id: string) =>
  and(eq(clientSessions.environment_id, environmentId), eq(clientSessions.id, id));

/** Locks the session of a check in progress; null if it was closed, or the check has ended. */
export async function lockSessionOfCheck(
  tx: Orm,
  environmentId: string,
  sessionId: string,
  reference: string,
): Promise<(ClientSessionRow & { card_check: CardCheck }) | null> {
  const rows = await tx
    .select()
    .from(clientSessions)
    .where(
      and(
        byId(environmentId, sessionId),
        eq(clientSessions.status, "OPEN"),
        // False once its expiry was announced.
        clientSessions.tells_expiry,
        fragment`${clientSessions.open_payment_id} is null`,
        fragment`${clientSessions.card_check}->>'reference' = ${reference}`,
        fragment`${clientSessions.card_check}->>'state' <> 'declined'`,
      ),
    )
    .for("update");
  return (rows[0] as (ClientSessionRow & { card_check: CardCheck }) | undefined) ?? null;
}

/** Writes the end of a check in the transaction that has locked its session. Returns the session. */
export async function updateCheckedSession(
  tx: Orm,
  { environment_id: environmentId, id }: ClientSessionRow,
  values: Partial<
    Pick<
      ClientSessionRow,
      | "status"
      | "card_check"
      | "customer_name"
      | "payment_method_id"
      | "subscription_id"
      | "amount"
      | "trial_refused"
      | "expires_at"
    >
  > & { updated_at: string },
): Promise<ClientSessionRow> {
  const rows = await tx.update(clientSessions).set(values).where(byId(environmentId, id)).returning();
  if (!rows[0]) throw new Error(`client session ${id} vanished while it was locked`);
  return rows[0];
}

/**
 * Sells the plan of an open session without its trial from now on. The attempt that discovered this counts.
 */
export async function refuseSessionTrial(
  orm: Orm,
  { environment_id: environmentId, id, bought_plan: plan }: ClientSessionRow,
  now: string,
): Promise<void> {
  await orm
    .update(clientSessions)
    .set({
      trial_refused: true,
      amount: plan?.amount ?? null,
      attempts: fragment`${clientSessions.attempts} + 1`,
      updated_at: now,
    })
    .where(
      and(
        byId(environmentId, id),
        eq(clientSessions.status, "OPEN"),
        eq(clientSessions.trial_refused, false),
        fragment`${clientSessions.open_payment_id} is null`,
      ),
    );
}
