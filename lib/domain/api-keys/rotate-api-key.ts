import { expireApiKeyIn, isRotated } from "@/db/queries/api-keys";
import type { Permission } from "@/lib/contract/permissions";
import { createApiKey, type NewApiKey } from "./create-api-key";
import { type KeyService, recordKeyAction } from "./key-service";
import { invalidKeyState, type KeyInput, lockKey } from "./lock-key";

/** How long the old key goes on working beside the new one. */
export type OverlapHours = 0 | 1 | 24 | 168;

/** Replaces a key by a new one with the same settings. */
export function rotateApiKey(
  service: KeyService,
  input: KeyInput & { overlapHours: OverlapHours },
): Promise<NewApiKey> {
  const { environmentId, overlapHours, actor, requestId } = input;
  return service.db.orm.transaction(async (tx) => {
    const old = await lockKey(tx, input);
    const now = service.clock.now();
    if (old.status !== "ACTIVE")
      throw invalidKeyState(old.status, `The key is ${old.status}; only an ACTIVE one can be rotated.`);
    if (await isRotated(tx, environmentId, old.id)) {
      throw invalidKeyState(old.status, "The key was already rotated. Rotate the key that replaced it.");
    }
    if (old.expires_at !== null && Date.parse(old.expires_at) <= now.getTime()) {
      throw invalidKeyState(old.status, "The key has expired. Create a new key.");
    }
    const made = await createApiKey(
      { ...service, db: { orm: tx } },
      {
        environmentId,
        name: old.name,
        permissions: old.permissions as Permission[],
        expiresAt: old.expires_at,
        ipAllowList: old.ip_allow_list,
        rotatedFrom: old.id,
        ...(actor && { actor }),
        ...(requestId && { requestId }),
      },
    );
    await expireApiKeyIn(tx, environmentId, old.id, overlapHours, now.toISOString());
    await recordKeyAction(tx, environmentId, old.id, "rotated", input);
    return made;
  });
}
