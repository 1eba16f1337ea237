import { type ApiKeyRow, listApiKeys as selectApiKeys } from "@/db/queries/api-keys";
import type { KeyService } from "./key-service";

/** The newest keys of an environment, of every status. */
export function listApiKeys(
  service: KeyService,
  input: { environmentId: string; limit?: number },
): Promise<ApiKeyRow[]> {
  return selectApiKeys(service.db.orm, input.environmentId, input.limit ?? 100);
}
