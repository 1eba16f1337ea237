import {
  countClientSessions,
  type ListedSession,
  listClientSessions as selectSessions,
} from "@/db/queries/client-session-list";
import type { SessionListItem, SessionListQuery } from "@/lib/contract/checkout/operations";
import { TOTAL_CAP } from "@/lib/contract/fields";
import { encodeId, encodeIdOrNull } from "@/lib/contract/ids";
import type { Context } from "../context";
import { type ListAnswer, listAnswer } from "../list-answer";
import { clientSessionStatus } from "./present-client-session";

const LIMIT = 20;

/** One page of the environment's client sessions, newest first. */
export async function listClientSessions(ctx: Context, input: SessionListQuery): Promise<ListAnswer<SessionListItem>> {
  const { orm } = ctx.service.db.within(ctx.environment.id);
  const offset = input.offset ?? 0;
  const now = ctx.service.clock.now();
  const filter = { status: input.status, now: now.toISOString() };
  const [rows, total] = await Promise.all([
    selectSessions(orm, ctx.environment.id, filter, { limit: LIMIT + 1, offset }),
    countClientSessions(orm, ctx.environment.id, filter, TOTAL_CAP),
  ]);
  const items = rows.slice(0, LIMIT).map((row) => present(row, now));
  return listAnswer(items, { hasMore: rows.length > LIMIT, total }, LIMIT, offset);
}

function present({ session, plan }: ListedSession, now: Date): SessionListItem {
  return {
    id: encodeId("clientSession", session.id),
    status: clientSessionStatus(session, now),
    amount: session.amount,
    currency: session.currency,
    plan: plan && { id: encodeId("plan", plan.id), name: plan.name },
    customer_id: session.customer_id,
    customer_email: session.customer_email,
    customer_name: session.customer_name,
    attempts: session.attempts,
    under_way: session.open_payment_id !== null,
    payment_id: encodeIdOrNull("payment", session.payment_id),
    expires_at: session.expires_at,
    created_at: session.created_at,
  };
}
