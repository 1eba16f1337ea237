import type { ApiKeyRow } from "@/db/queries/api-keys";
import { changeKeyStatus } from "./change-key-status";
import type { KeyService } from "./key-service";
import type { KeyInput } from "./lock-key";

/** Lets a disabled key work again. */
export function enableApiKey(service: KeyService, input: KeyInput): Promise<ApiKeyRow> {
  return changeKeyStatus(service, input, "ACTIVE");
}
