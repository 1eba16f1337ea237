import type { IncomingMessage, ServerResponse } from "node:http";
import { networkOf } from "@/lib/network";
import { createBuckets, LIMITS } from "@/lib/rate-limits";
import { secondsToWait } from "@/lib/token-buckets";
import { refuseRequest, type ServerRefusal } from "./gate";
import type { Listener } from "./http-server";

/** Payment forms have a separate limit, because shoppers may share an address. Malformed tokens get a 404. */
const PAYMENT_FORM =
  /^\/(?:pay\/cst_[\w-]{43}(?:\/(?:attempts|state|receipt))?|receipt\/rcp_[\w-]{43}|invoice\/env_\w+\.inv_\w+\.[\w-]{22,40}(?:\/pay)?|portal\/(?:back|prt_[\w-]{43}(?:\/(?:card|pay|cancel|continue))?)|logo\/[\da-f]{64}|link\/[\w-]{22}(?:\/open)?|challenge\/env_\w+\.(?:pay|cs)_\w+\.[\w-]{22,40}(?:\/result)?|webhooks\/\w+\/con_\w{26})(?:\?|$)/;
/**
 * A processor's messages to one connection. Counted per connection, because all come from the processor's
 * network; messages to unknown connections count toward the network.
 */
const MESSAGE = /^\/webhooks\/\w+\/(con_\w{26})/;
/** Cost of an unknown token, which allows two guesses a second by default. */
const FORMS_PER_GUESS = 30;

export const isPaymentForm = ({ url = "" }: IncomingMessage): boolean => PAYMENT_FORM.test(url);

/** The server has already replaced X-Forwarded-For with the caller's address. */
const networkBehind = (request: IncomingMessage) => networkOf(String(request.headers["x-forwarded-for"] ?? ""));

export type PageLimit = (request: IncomingMessage, response: ServerResponse) => ServerRefusal | null;

/**
 * Limits pages per network, and separately its payment forms and its messages per connection. Returns the
 * refusal when the limit is exceeded.
 */
export function createPageLimit(perMinute?: number): PageLimit {
  const options = perMinute === undefined ? {} : { setting: perMinute };
  const [pages, forms] = [createBuckets("pages", options), createBuckets("paymentForms", options)];

  /** Milliseconds until a request is allowed; 0 if it was counted. */
  function count(request: IncomingMessage, response: ServerResponse): number {
    const network = networkBehind(request);
    if (!isPaymentForm(request)) return pages.take(network).waitMs;
    const connection = MESSAGE.exec(request.url ?? "")?.[1];
    if (connection === undefined) {
      response.once("finish", () => response.statusCode === 404 && forms.charge(network, FORMS_PER_GUESS - 1));
      return forms.take(network).waitMs;
    }
    response.once("finish", () => response.statusCode === 404 && forms.charge(network, 1));
    return forms.waitMs(network) || forms.take(`${network} ${connection}`).waitMs;
  }

  return (request, response) => {
    const seconds = secondsToWait({ waitMs: count(request, response) });
    if (seconds === 0) return null;
    return {
      status: 429,
      sentence: LIMITS.pages.refusal(seconds),
      headers: { "Retry-After": String(seconds) },
    };
  };
}

export function withPageLimit(pages: Listener): Listener {
  const refusalFor = createPageLimit();
  return async (request, response) => {
    const refusal = refusalFor(request, response);
    if (refusal) refuseRequest(request, response, refusal);
    else await pages(request, response);
  };
}
