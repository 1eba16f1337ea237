import {
  findSessionWithPlan,
  listSessionActs,
  listSessionCharges,
  type SessionAct,
  type SessionChargeRow,
} from "@/db/queries/client-session-list";
import { type ActorNames, readActorNames } from "@/db/queries/payment-detail";
import type { SessionAttempt, SessionDetail } from "@/lib/contract/checkout/operations";
import { decodeId, encodeId, encodeIdOrNull } from "@/lib/contract/ids";
import { DECLINE_GUIDE } from "@/lib/contract/payments/decline-guide";
import type { Context } from "../context";
import { presentActor } from "../payments/present-actor";
import { resourceNotFound } from "../resource-not-found";
import { presentClientSession } from "./present-client-session";

/** A session takes five attempts; payments that the merchant's server made for it by a token count besides. */
const MAX_SHOWN_ATTEMPTS = 50;

/** A session with the cards that were tried in it and who opened and closed it. */
export async function getSessionDetail(ctx: Context, input: { id: string }): Promise<SessionDetail> {
  const { service, environment } = ctx;
  const id = decodeId("clientSession", input.id);
  const found =
    id === null ? null : await findSessionWithPlan(service.db.within(environment.id).orm, environment.id, id);
  if (found === null) throw resourceNotFound("client session", input.id);
  const { session, plan } = found;
  const [charges, acts] = await Promise.all([
    listSessionCharges(service.db.within(environment.id).sql, environment.id, session.id, MAX_SHOWN_ATTEMPTS),
    listSessionActs(service.db.within(environment.id).sql, environment.id, session.id),
  ]);
  const owner = { id: environment.id, merchantId: environment.merchantId };
  const names = await readActorNames(
    service.db.within(environment.id).sql,
    owner,
    acts.map(({ actor }) => actor),
  );
  const actOf = (action: string) => acts.find((act) => act.action === action);
  const created = actOf("client_session.created");
  const cancelled = actOf("client_session.cancelled");
  return {
    session: presentClientSession(ctx, session),
    plan: plan && { id: encodeId("plan", plan.id), name: plan.name },
    open_payment_id: encodeIdOrNull("payment", session.open_payment_id),
    attempts: charges.map(attemptOf),
    created_by: created ? presentActor(created.actor, names) : null,
    cancelled: cancelled ? cancelledOf(cancelled, names) : null,
  };
}

const cancelledOf = (act: SessionAct, names: ActorNames) => ({
  at: act.created_at,
  by: presentActor(act.actor, names),
});

function attemptOf(row: SessionChargeRow): SessionAttempt {
  const { decline_code: code } = row;
  return {
    id: encodeId("transaction", row.id),
    payment_id: encodeId("payment", row.payment_id),
    status: row.status,
    amount: row.amount,
    currency: row.currency,
    card_brand: row.card_brand,
    card_last4: row.card_last4,
    decline: code && { code, meaning: DECLINE_GUIDE[code].meaning, advice: DECLINE_GUIDE[code].advice },
    created_at: row.created_at,
  };
}
