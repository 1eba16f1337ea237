import { findEnvironmentId } from "@/db/queries/merchants";
import { decodeId } from "@/lib/contract/ids";
import type { Mode } from "@/lib/contract/transaction";
import type { KeyService } from "../api-keys/key-service";
import { resourceNotFound } from "../resource-not-found";

/** UUID of a merchant's environment, from the merchant's public id. */
export async function getEnvironmentId(service: KeyService, input: { merchantId: string; mode: Mode }): Promise<string> {
  const id = decodeId("merchant", input.merchantId);
  const environmentId = id === null ? null : await findEnvironmentId(service.db.orm, id, input.mode);
  if (environmentId === null) throw resourceNotFound("merchant", input.merchantId);
  return environmentId;
}
