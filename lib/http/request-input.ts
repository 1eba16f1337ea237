import type { Endpoint } from "@/lib/contract/endpoint";
import { AppError } from "@/lib/contract/errors";
import { REPLAY_ONLY_HEADER } from "@/lib/contract/request-log/requests";
import type { Access } from "./admission";
import type { ApiCall } from "./api-call";
import { parseFileBody } from "./file-body";
import { readIdempotencyKey } from "./idempotency";
import { parseBody, parseQuery } from "./parse";
import { type ApiRequest, decidingHeader, searchOf } from "./request-parts";
import type { UploadSlot } from "./upload-slots";

export type RequestInput = {
  readonly key: string | null;
  readonly body: unknown;
  /** Query, body, an upload's `bytes`, and id in one object, for the verb. */
  readonly values: object;
  /** Only a stored response is requested, and no money may move. */
  readonly replayOnly: boolean;
};

/**
 * Reads the idempotency key, the query and the body, in this order. Throws 400, 413 or 415, and for an upload
 * what aborts its slot.
 */
export async function readInput(
  { request, endpoint, id, log }: ApiCall,
  access: Access,
  upload: UploadSlot | null,
): Promise<RequestInput> {
  const key = readIdempotencyKey(request, endpoint);
  log.key = key;
  const query = parseQuery(searchOf(request.url), endpoint);
  const seen = (sent: unknown) => {
    log.sent = sent;
  };
  const { body, ...content } = endpoint.takesFile
    ? await parseFileBody(request, endpoint, seen, upload)
    : { body: await parseBody(request, endpoint, seen) };
  // A caller can lose its access while it sends a body slowly.
  await access.renew();
  const values = Object.assign({}, body, content, query, id === null ? null : { id });
  return { key, body, values, replayOnly: isReplayOnly(request, endpoint) };
}

function isReplayOnly({ headers }: ApiRequest, endpoint: Endpoint): boolean {
  if (decidingHeader(headers, REPLAY_ONLY_HEADER) === null) return false;
  if (endpoint.idempotency === "required") return true;
  throw new AppError("invalid_parameter", "Only requests that move money are sent again from here.", {
    param: REPLAY_ONLY_HEADER,
  });
}
