import { findReplacements } from "@/db/queries/api-keys";
import type { ApiKey } from "@/lib/contract/api-keys/api-keys";
import type { Context } from "../context";
import { disableApiKey } from "./disable-api-key";
import { enableApiKey } from "./enable-api-key";
import { presentApiKey } from "./present-api-key";
import { revokeApiKey } from "./revoke-api-key";

const VERBS = { disable: disableApiKey, enable: enableApiKey, revoke: revokeApiKey };

/** Disables, enables or revokes a key for a person; answers the key as it is then. */
export async function setKeyState(ctx: Context, input: { id: string; action: keyof typeof VERBS }): Promise<ApiKey> {
  const { service, environment, actor, request } = ctx;
  const db = service.db.within(environment.id);
  const row = await VERBS[input.action](
    { db, clock: service.clock },
    {
      environmentId: environment.id,
      id: input.id,
      actor,
      requestId: request.id,
    },
  );
  const replacements = await findReplacements(db.orm, environment.id, [row.id]);
  return presentApiKey(row, service.clock.now(), replacements.get(row.id) ?? null);
}
