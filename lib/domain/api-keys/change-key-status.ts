import { type ApiKeyRow, type ApiKeyStatus, updateApiKeyStatus } from "@/db/queries/api-keys";
import { type KeyAction, type KeyService, recordKeyAction } from "./key-service";
import { invalidKeyState, type KeyInput, lockKey } from "./lock-key";

const ACTION: Record<ApiKeyStatus, KeyAction> = { ACTIVE: "enabled", DISABLED: "disabled", REVOKED: "revoked" };

/** Every process notices within a second. A key that already has the status stays as it is; a revoked one stays revoked. */
export function changeKeyStatus(service: KeyService, input: KeyInput, to: ApiKeyStatus): Promise<ApiKeyRow> {
  return service.db.orm.transaction(async (tx) => {
    const row = await lockKey(tx, input);
    if (row.status === to) return row;
    if (row.status === "REVOKED") throw invalidKeyState(row.status, "A revoked key stays revoked. Create a new key.");
    const changed = await updateApiKeyStatus(tx, input.environmentId, row.id, to, service.clock.now().toISOString());
    await recordKeyAction(tx, input.environmentId, row.id, ACTION[to], input);
    return changed;
  });
}
