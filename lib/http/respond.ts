import type { Context } from "@/lib/domain/context";
import { type Access, identify, type Limits, takeLimits } from "./admission";
import type { ApiCall } from "./api-call";
import { idempotencyOf } from "./idempotency";
import { openApiBytes } from "./openapi";
import { parseQuery } from "./parse";
import { recordStaffRequest } from "./record-staff-request";
import { type RequestInput, readInput } from "./request-input";
import { addressOf, searchOf } from "./request-parts";
import { type EndpointReply, runEndpoint } from "./run-endpoint";
import { bodySize } from "./sandbox-quota";
import { requireReauthenticationFor } from "./session-caller";
import type { UploadSlot } from "./upload-slots";

/**
 * Steps of a request to /v1, in this order: 401, 403, 429, 400 (key), 413/415/400 (body), 403
 * (re-authentication), then the verb with its 404, its idempotency key and its rules.
 */
export async function respond(call: ApiCall): Promise<EndpointReply> {
  if (call.endpoint.permissions.length === 0) return openApiDocument(call);
  const access = await identify(call);
  const limits = takeLimits(call, access.caller);
  if (!call.endpoint.takesFile) return readAndRun(call, access, limits);
  const { merchantId, mode } = access.caller.environment;
  const slot = await call.http.slots.upload(merchantId, mode);
  try {
    return await readAndRun(call, access, limits, slot);
  } finally {
    slot.release();
  }
}

async function readAndRun(
  call: ApiCall,
  access: Access,
  limits: Limits,
  upload: UploadSlot | null = null,
): Promise<EndpointReply> {
  const input = await readInput(call, access, upload);
  limits.quota?.add(bodySize(call.request, input.body));
  await authorizeAction(call, access, input);
  return runEndpoint({ call, access, limits, input, ctx: contextOf(call, access, input) });
}

/** The same bytes for every caller, so a request without a key costs nothing. */
function openApiDocument({ http, endpoint, request, connection }: ApiCall): EndpointReply {
  parseQuery(searchOf(request.url), endpoint);
  http.unauthorized.note("nothing", addressOf(request.headers, connection));
  return { status: endpoint.status, body: [openApiBytes(http.service)], replayed: false };
}

/**
 * Throws if the endpoint requires re-authentication and the user has not done it. Records what staff are
 * about to do.
 */
async function authorizeAction(call: ApiCall, { caller }: Access, { body }: RequestInput): Promise<void> {
  const { http, endpoint, request, id, info } = call;
  await requireReauthenticationFor(http.service, caller, { endpoint, id, body });
  await recordStaffRequest(http.service, caller, { headers: request.headers, requestId: info.id, id, endpoint });
}

function contextOf(call: ApiCall, { caller, reauthorize }: Access, { key, body }: RequestInput): Context {
  const { http, endpoint, request, info } = call;
  const { environment, actor } = caller;
  const compared = { environmentId: environment.id, method: request.method, path: info.path, body };
  return {
    service: http.service,
    environment,
    actor,
    request: { endpoint: endpoint.name, ...info },
    idempotency: key === null ? null : idempotencyOf(http.service.secret, key, compared),
    reauthorize,
  };
}
