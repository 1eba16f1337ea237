import type { IncomingMessage, ServerResponse } from "node:http";
import { networkOf } from "@/lib/auth/attempt-limits";
import { env } from "@/lib/env";
import { createTokenBuckets, secondsToWait } from "@/lib/token-buckets";
import { type Refusal, refuseRequest } from "./gate";
import type { Listener } from "./http-server";

/**
 * A page takes its process 10 to 100 ms, in which it answers nobody, and anybody may ask for one: without limits a few strangers
 * who reload pages stop the payment forms. So an address gets a number of pages, and all pages together get turns (turns.ts).
 */

/**
 * What shoppers pay with has limits and turns of its own: behind one address may stand a whole town. Only what can be one of
 * ours: for anything else Next draws a page that says there is nothing.
 */
const PAYMENT_FORM =
  /^\/(?:pay\/cst_[\w-]{43}(?:\/(?:attempts|state|receipt))?|receipt\/rcp_[\w-]{43}|logo\/[\da-f]{64}|link\/[\w-]{22}(?:\/open)?|challenge\/env_\w+\.pay_\w+\.[\w-]{22,40}(?:\/result)?)(?:\?|$)/;
/** A form that waits for a payment looks every two seconds. */
const FORMS_PER_PAGE = 3;
/** One that nobody has is a guess, and counts as so many: two a second of one address in the long run. */
const FORMS_PER_GUESS = 30;

export const isPaymentForm = ({ url = "" }: IncomingMessage): boolean => PAYMENT_FORM.test(url);

/** Whose pages count together. Behind Next and our host alike the address has been found out before. */
const networkBehind = (request: IncomingMessage) => networkOf(String(request.headers["x-forwarded-for"] ?? ""));

export type PageLimit = (request: IncomingMessage, response: ServerResponse) => Refusal | null;

/**
 * Counts the pages of each address, and what it asks of payment forms, which may be more; answers the refusal when there were
 * too many. `perMinute` in the long run, a quarter of it at once.
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
      if (isForm) response.once("finish", count);
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
