import type { IncomingMessage } from "node:http";
import { hasBody } from "./gate";

/** How long a caller may take to send a request's headers, and all of it. */
export type ArrivalLimits = { readonly headersMs: number; readonly requestMs: number };
export const ARRIVAL: ArrivalLimits = { headersMs: 10_000, requestMs: 30_000 };

/** What is kept of a request that nobody reads yet: a little more than any address of ours takes. */
export const UNREAD_BYTES = 65 * 1_024;

/**
 * Resolves when a request has arrived whole, or as much of it as is kept, or its sender has left. Reads nothing: from a body that
 * somebody has read of Next makes no request.
 */
export function arrived(request: IncomingMessage): Promise<void> {
  if (!hasBody(request)) return Promise.resolve();
  return new Promise((resolve) => {
    const look = () => {
      if (request.complete || request.readableLength >= request.readableHighWaterMark) end();
    };
    const end = () => {
      request.off("readable", look).off("close", end);
      resolve();
    };
    request.on("readable", look).once("close", end);
  });
}
