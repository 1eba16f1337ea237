import { randomBytes } from "node:crypto";
import {
  deleteExpiredPortalSessions,
  findPortalLocale,
  findPortalSession,
  insertPortalSession,
} from "@/db/queries/portal";
import type { PortalSessionRow } from "@/db/schema/portal";
import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import { requireSecureAddresses } from "@/lib/contract/checkout/client-session";
import type { CreatePortalSessionBody, PortalSession } from "@/lib/contract/portal/endpoints";
import { idTime } from "@/lib/ids";
import { sha256 } from "@/lib/secret";
import { findShop, type OpenShop } from "../checkout/shop";
import { type Context, environmentNow, newEnvironmentId, type Reply, type Service } from "../context";
import { recordAct } from "../events/event";
import { runOnce } from "../idempotency/run-once";

const SESSION_LIFE_MS = 60 * 60 * 1000;
const TOKEN = /^prt_[A-Za-z0-9_-]{43}$/;

/** Creates a customer's session. Its token is only in this response and its replays. */
export function createPortalSession(ctx: Context, input: CreatePortalSessionBody): Promise<Reply> {
  requireSecureAddresses(ctx.environment, input);
  return runOnce(
    ctx,
    async (tx): Promise<PortalSession> => {
      const id = newEnvironmentId(ctx);
      const created_at = idTime(id);
      const expires_at = new Date(Date.parse(created_at) + SESSION_LIFE_MS).toISOString();
      const token = `prt_${randomBytes(32).toString("base64url")}`;
      await insertPortalSession(tx, {
        environment_id: ctx.environment.id,
        id,
        token_sha256: sha256(token),
        customer_id: input.customer_id,
        return_url: input.return_url,
        expires_at,
        created_at,
      });
      await recordAct(ctx, tx, "portal_session.created", id);
      return { object: "portal_session", url: `${ctx.service.baseUrl}/portal/${token}`, expires_at };
    },
    { secretResponse: true },
  );
}

/**
 * A customer's visit. `isOver`: the session has expired, so it shows and does nothing. `locale`: of the customer's
 * documents, null without a subscription.
 */
export type Visit = {
  readonly open: OpenShop;
  readonly session: PortalSessionRow;
  readonly isOver: boolean;
  readonly locale: CheckoutLocale | null;
};

/** Null for text that can't be a session's token. */
export async function findVisit(service: Service, token: string): Promise<Visit | null> {
  if (!TOKEN.test(token)) return null;
  const session = await findPortalSession(service.db.orm, sha256(token));
  const open = session && (await findShop(service, session.environment_id));
  if (!session || !open) return null;
  const now = environmentNow({ service, environment: open.environment });
  const { sql } = service.db.within(session.environment_id);
  const locale = await findPortalLocale(sql, session.environment_id, session.customer_id);
  return { open, session, locale, isOver: Date.parse(session.expires_at) <= now.getTime() };
}

/** Rows per statement, so that locks are short. */
const BATCH_ROWS = 2_000;

/**
 * Deletes sessions that expired a week ago, in every environment. Returns the number deleted: call again
 * until it is 0.
 */
export const removeExpiredPortalSessions = ({ db }: Pick<Service, "db">): Promise<number> =>
  deleteExpiredPortalSessions(db.orm, BATCH_ROWS);
