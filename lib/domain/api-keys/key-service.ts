import type { Orm } from "@/db/client";
import { insertAudit } from "@/db/queries/changes";
import type { ActorRecord } from "@/db/schema/operations";
import type { Clock } from "@/lib/clock";
import { idTime, newId } from "@/lib/ids";

/** What the verbs for keys need: they also run outside of a request, and inside a caller's transaction as `orm`. */
export type KeyService = { readonly db: { readonly orm: Orm }; readonly clock: Clock };

/** Who manages the key; left out, it is Cardlane itself (a script). */
export type ManagedBy = { actor?: ActorRecord; requestId?: string | null };

export type KeyAction = "created" | "disabled" | "enabled" | "revoked" | "rotated";

export async function recordKeyAction(
  tx: Orm,
  environmentId: string,
  keyId: string,
  action: KeyAction,
  by: ManagedBy,
): Promise<void> {
  const id = newId();
  await insertAudit(tx, environmentId, {
    id,
    actor: by.actor ?? { type: "system", id: null },
    action: `api_key.${action}`,
    object_id: keyId,
    request_id: by.requestId ?? null,
    created_at: idTime(id),
  });
}
