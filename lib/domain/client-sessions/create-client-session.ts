import { randomBytes } from "node:crypto";
import type { Orm } from "@/db/client";
import { insertClientSession } from "@/db/queries/client-sessions";
import { findPlan } from "@/db/queries/plans";
import type { CreateClientSessionBody } from "@/lib/contract/checkout/client-session";
import { requireSecureAddresses } from "@/lib/contract/checkout/client-session";
import { isSupportedCurrency } from "@/lib/contract/currencies";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import { idTime, newId } from "@/lib/ids";
import { sha256 } from "@/lib/secret";
import type { Context, Reply } from "../context";
import { recordChange } from "../events/event";
import { runOnce } from "../idempotency/run-once";
import { currencyNotSupported } from "../plans/plan-rules";
import { resourceNotFound } from "../resource-not-found";
import { presentClientSession } from "./present-client-session";

const LIFE_MS = 24 * 60 * 60 * 1000;

/** Opens a session for one shopper and one amount. Its token is in this answer (and its replays) and nowhere else. */
export async function createClientSession(ctx: Context, input: CreateClientSessionBody): Promise<Reply> {
  requireSecureAddresses(ctx.environment, input);
  return runOnce(ctx, { status: 201, secretAnswer: true }, async (tx) => {
    const { plan_id, amount, currency, ...described } = input;
    const price = await priceOf(ctx, tx, plan_id, amount, currency);
    const id = newId();
    const created_at = idTime(id);
    const token = `cst_${randomBytes(32).toString("base64url")}`;
    const row = await insertClientSession(tx, ctx.environment.id, {
      id,
      token_sha256: sha256(token),
      status: "OPEN",
      ...price,
      ...described,
      expires_at: new Date(Date.parse(created_at) + LIFE_MS).toISOString(),
      created_at,
      updated_at: created_at,
    });
    const data = { object: presentClientSession(ctx, row), previous: null };
    await recordChange(ctx, tx, {
      type: "client_session.created",
      action: "client_session.created",
      objectId: id,
      data,
    });
    const iframe_url = `${ctx.service.baseUrl}/pay/${token}`;
    return presentClientSession(ctx, row, { client_session_token: token, iframe_url });
  });
}

/** The plan's price, or the amount and currency that the schema makes sure of when there is no plan. */
async function priceOf(
  ctx: Context,
  tx: Orm,
  publicPlanId: string | null,
  amount: number | null,
  currency: string | null,
) {
  if (publicPlanId === null) {
    if (amount === null || currency === null)
      throw new Error("a client session needs a plan, or an amount and a currency");
    if (!isSupportedCurrency(currency)) throw currencyNotSupported(currency);
    return { plan_id: null, amount, currency };
  }
  const planId = decodeId("plan", publicPlanId);
  const plan = planId === null ? null : await findPlan(tx, ctx.environment.id, planId);
  if (plan === null) throw resourceNotFound("plan", publicPlanId, "plan_id");
  if (plan.status !== "ACTIVE") {
    throw new AppError(
      "plan_not_active",
      `The plan '${publicPlanId}' is ${plan.status}. Activate it, or use another plan.`,
      {
        param: "plan_id",
      },
    );
  }
  return { plan_id: plan.id, amount: plan.full_price, currency: plan.currency };
}
