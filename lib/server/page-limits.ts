import type { IncomingMessage, ServerResponse } from "node:http";
import { networkOf } from "@/lib/auth/attempt-limits";
import { env } from "@/lib/env";
import { createTokenBuckets, secondsToWait } from "@/lib/token-buckets";
import { refuseRequest, type ServerRefusal } from "./gate";
import type { Listener } from "./http-server";

/**
 * A page takes its process 10 to 100 ms, in which it answers nobody, and anybody may request one: without limits a few
 * strangers who reload pages would stop the payment forms. So each address has a budget of pages, and all pages together take
 * turns (turns.ts).
 */

/**
 * Payment forms have their own limits and turns: a whole town may share one address. Only well-formed tokens count here; for
 * anything else Next draws its not-found page.
 */
const PAYMENT_FORM =
  /^\/(?:pay\/cst_[\w-]{43}(?:\/(?:attempts|state|receipt))?|receipt\/rcp_[\w-]{43}|logo\/[\da-f]{64}|link\/[\w-]{22}(?:\/open)?|challenge\/env_\w+\.pay_\w+\.[\w-]{22,40}(?:\/result)?|webhooks\/\w+\/con_\w{26})(?:\?|$)/;
/**
 * Answered without drawing a page. One address of a processor's writes to all its merchants: each connection has a budget of its
 * own there, so that a busy merchant holds up no other. What finds no connection counts together: anybody can make them up.
 */
const MESSAGE = /^\/webhooks\/\w+\/(con_\w{26})/;
/** A form that waits for a payment polls every two seconds. */
const FORMS_PER_PAGE = 3;
/** An unknown token is a guess and costs this many: two guesses a second per address on average. */
const FORMS_PER_GUESS = 30;

export const isPaymentForm = ({ url = "" }: IncomingMessage): boolean => PAYMENT_FORM.test(url);

/** Whose pages count together. Behind Next and our host alike the address has been found out before. */
const networkBehind = (request: IncomingMessage) => networkOf(String(request.headers["x-forwarded-for"] ?? ""));

export type PageLimit = (request: IncomingMessage, response: ServerResponse) => ServerRefusal | null;

/**
 * Counts the pages of each address, and separately its requests for payment forms and its messages for each connection, which may
 * be more; returns the refusal when there were too many. `perMinute` is the average, a quarter of it may come at once.
 */
export function createPageLimit(perMinute = env.pageLimitPerMinute): PageLimit {
  const bucketsOf = (times: number) =>
    createTokenBuckets({ perSecond: (times * perMinute) / 60, burst: Math.max(1, (times * perMinute) / 4) });
  const [pages, forms, messages] = [bucketsOf(1), bucketsOf(FORMS_PER_PAGE), bucketsOf(FORMS_PER_PAGE)];

  /** How long to wait, in milliseconds; 0: it was counted. */
  function count(request: IncomingMessage, response: ServerResponse): number {
    const network = networkBehind(request);
    if (!isPaymentForm(request)) return pages.take(network).waitMs;
    const connection = MESSAGE.exec(request.url ?? "")?.[1];
    if (connection === undefined) {
      response.once("finish", () => response.statusCode === 404 && forms.charge(network, FORMS_PER_GUESS - 1));
      return forms.take(network).waitMs;
    }
    response.once("finish", () => response.statusCode === 404 && forms.charge(network, 1));
    return forms.waitMs(network) || messages.take(`${network} ${connection}`).waitMs;
  }

  return (request, response) => {
    const seconds = secondsToWait({ waitMs: count(request, response) });
    if (seconds === 0) return null;
    return {
      status: 429,
      sentence: `Too many pages were asked for from your address. Wait ${seconds} s, and load the page again.`,
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
