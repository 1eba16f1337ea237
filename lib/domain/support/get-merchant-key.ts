import { AppError } from "@/lib/contract/errors";
import type { KeyDetail } from "@/lib/contract/idempotency/idempotency-key";
import { decodeId } from "@/lib/contract/ids";
import { getIdempotencyKey } from "../idempotency/get-idempotency-key";
import { findEnvironmentForStaff } from "./find-environment-for-staff";
import { recordStaffAct } from "./record-staff-act";
import { inEnvironment, type StaffCall } from "./staff-call";

/** An idempotency key of any merchant's environment, by its `env_…` id. Throws `resource_not_found`. */
export async function getMerchantKey(
  call: StaffCall,
  input: { environmentId: string; key: string },
): Promise<KeyDetail> {
  const id = decodeId("environment", input.environmentId);
  const environment = id && (await findEnvironmentForStaff(call.service, id));
  if (!environment) throw new AppError("resource_not_found", `There is no environment '${input.environmentId}'.`);
  await recordStaffAct(call.service, call.staff, {
    action: "support.viewed_key",
    merchantId: environment.merchantId,
    environmentId: environment.id,
    detail: { query: input.key },
    requestId: call.request.id,
  });
  return getIdempotencyKey(inEnvironment(call, environment), { key: input.key });
}
