import type { Orm } from "@/db/client";
import { type ApiKeyRow, type ApiKeyStatus, lockApiKey } from "@/db/queries/api-keys";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import { resourceNotFound } from "../resource-not-found";
import type { ManagedBy } from "./key-service";

/** `environmentId` is a UUID, `id` a public `key_…`. */
export type KeyInput = ManagedBy & { environmentId: string; id: string };

export async function lockKey(tx: Orm, input: KeyInput): Promise<ApiKeyRow> {
  const id = decodeId("apiKey", input.id);
  const row = id === null ? null : await lockApiKey(tx, input.environmentId, id);
  if (row === null) throw resourceNotFound("API key", input.id);
  return row;
}

const ALLOWED: Record<ApiKeyStatus, readonly string[]> = {
  ACTIVE: ["disable", "revoke", "rotate"],
  DISABLED: ["enable", "revoke"],
  REVOKED: [],
};

export function invalidKeyState(status: ApiKeyStatus, detail: string): AppError {
  return new AppError("invalid_state", detail, { extra: { current_status: status, allowed_actions: ALLOWED[status] } });
}
