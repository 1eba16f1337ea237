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
/** Answered without drawing a page; and one address of a processor's writes to all its merchants, of whom one may have gone. */
const MESSAGE = /^\/webhooks\//;
/** A form that waits for a payment polls every two seconds. */
const FORMS_PER_PAGE = 3;
/** An unknown token is a guess and costs this many: two guesses a second per address on average. */
const FORMS_PER_GUESS = 30;

export const isPaymentForm = ({ url = "" }: IncomingMessage): boolean => PAYMENT_FORM.test(url);

/** Whose pages count together. Behind Next and our host alike the address has been found out before. */
const networkBehind = (request: IncomingMessage) => networkOf(String(request.headers["x-forwarded-for"] ?? ""));

export type PageLimit = (request: IncomingMessage, response: ServerResponse) => ServerRefusal | null;

/**
 * Counts the pages of each address, and separately its requests for payment forms, which may be more; returns the refusal when
 * there were too many. `perMinute` is the average, a quarter of it may come at once.
 */
export function createPageLimit(perMinute = env.pageLimitPerMinute): PageLimit {
  const bucketsOf = (times: number) =>
    createTokenBuckets({ perSecond: (times * perMinute) / 60, burst: Math.max(1, (times * perMinute) / 4) });
  const [pages, forms] = [bucketsOf(1), bucketsOf(FORMS_PER_PAGE)];
  return (request, response) => {
    const isForm = isPaymentForm(request);
    const network = networkBehind(request);
    const seconds = secondsToWait((isForm ? forms : pages).take(network));
    if (seconds === 0) {
      const count = () => response.statusCode === 404 && forms.charge(network, FORMS_PER_GUESS - 1);
      if (isForm && !MESSAGE.test(request.url ?? "")) response.once("finish", count);
      return null;
    }
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
