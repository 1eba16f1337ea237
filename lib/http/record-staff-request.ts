import { type Endpoint, writes } from "@/lib/contract/endpoint";
import { AppError } from "@/lib/contract/errors";
import { decodeAnyId } from "@/lib/contract/ids";
import { trimmed } from "@/lib/contract/input";
import { staffReason } from "@/lib/contract/support/endpoints";
import type { Service } from "@/lib/domain/context";
import { recordStaffAct } from "@/lib/domain/support/staff-acts";
import type { Caller } from "./caller";
import { decidingHeader, decoded } from "./request-parts";

type StaffRequest = {
  readonly headers: { get(name: string): string | null };
  /** UUID. */
  readonly requestId: string;
  /** The id as sent in the path. */
  readonly id: string | null;
  readonly endpoint: Endpoint;
};

/**
 * Records what staff are about to read or change in a merchant's environment; a change needs a reason. Other
 * callers' requests are not recorded here.
 */
export async function recordStaffRequest(service: Service, caller: Caller, request: StaffRequest): Promise<void> {
  const { actor, environment } = caller;
  if (actor.type !== "staff" || actor.id === null) return;
  const { endpoint, id } = request;
  await recordStaffAct(
    service,
    { userId: actor.id },
    {
      action: `support.${endpoint.name}`,
      merchantId: environment.merchantId,
      environmentId: environment.id,
      objectId: id !== null && decodeAnyId(id) ? id : null,
      detail: writes(endpoint) ? { reason: reasonOf(request.headers) } : null,
      requestId: request.requestId,
    },
  );
}

/** The reason that staff give. Header values are Latin-1, so it is percent-encoded. */
function reasonOf(headers: StaffRequest["headers"]): string {
  const given = trimmed(decoded(decidingHeader(headers, "X-Cardlane-Reason") ?? ""));
  const param = "X-Cardlane-Reason";
  if (given === "") {
    const detail = "Enter why you're acting for the merchant. The merchant sees it.";
    throw new AppError("missing_parameter", detail, { param });
  }
  const reason = staffReason.safeParse(given);
  if (reason.success) return reason.data;
  throw new AppError("invalid_parameter", "Give the reason as plain text of at most 500 characters.", { param });
}
