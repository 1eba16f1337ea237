import { findEnvironmentId } from "@/db/queries/merchants";
import { AppError } from "@/lib/contract/errors";
import { decodeId } from "@/lib/contract/ids";
import type { Mode } from "@/lib/contract/transactions/words";
import type { KeyService } from "../api-keys/key-service";

/** UUID of a merchant's environment, from the merchant's public id. */
export async function getEnvironmentId(
  service: KeyService,
  input: { merchantId: string; mode: Mode },
): Promise<string> {
  const id = decodeId("merchant", input.merchantId);
  const environmentId = id === null ? null : await findEnvironmentId(service.db.orm, id, input.mode);
  if (environmentId === null) {
    throw new AppError("resource_not_found", `There is no merchant '${input.merchantId}'.`, { param: "merchant" });
  }
  return environmentId;
}
