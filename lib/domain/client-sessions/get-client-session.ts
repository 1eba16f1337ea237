import { findClientSession } from "@/db/queries/client-sessions";
import type { ClientSession } from "@/lib/contract/checkout/client-session";
import { decodeId } from "@/lib/contract/ids";
import type { Context } from "../context";
import { resourceNotFound } from "../resource-not-found";
import { presentClientSession } from "./present-client-session";

export async function getClientSession(ctx: Context, input: { id: string }): Promise<ClientSession> {
  const id = decodeId("clientSession", input.id);
  const row =
    id === null ? null : await findClientSession(ctx.service.db.within(ctx.environment.id).orm, ctx.environment.id, id);
  if (row === null) throw resourceNotFound("client session", input.id);
  return presentClientSession(ctx, row);
}
