import type { IncomingMessage } from "node:http";
import { hasBody } from "./gate";

/** How long a caller may take to send a request's headers, and all of it. */
export type ArrivalLimits = { readonly headersMs: number; readonly requestMs: number };
export const ARRIVAL: ArrivalLimits = { headersMs: 10_000, requestMs: 30_000 };

/** How much of an unread request is kept: slightly more than our largest address. */
export const UNREAD_BYTES = 65 * 1_024;

/**
 * Resolves when a request has arrived in full, when the kept limit is reached, or when its sender has left. It reads nothing,
 * because Next cannot make a request from a body that was already read.
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
