import type { IncomingMessage, ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import { networkOf } from "@/lib/auth/attempt-limits";
import { env } from "@/lib/env";
import { createTokenBuckets, secondsToWait } from "@/lib/token-buckets";
import { hasBody, type Refusal, refuseRequest } from "./gate";
import type { Listener, Listeners } from "./http-server";

/**
 * A page takes the process 10 to 100 ms, in which it answers nobody, and anybody may ask for one: without limits a few strangers
 * who reload pages stop the payments. So an address gets a number of pages, and all pages together get turns.
 */

/**
 * What shoppers pay with is made without Next's pages, waits for none of them, and has a limit of its own: behind one address
 * may stand a whole town. Only what can be one of ours: for anything else Next draws a page that says there is nothing.
 */
const PAYMENT_FORM =
  /^\/(?:pay\/cst_[\w-]{43}(?:\/(?:attempts|state))?|challenge\/env_\w+\.pay_\w+\.[\w-]{22,40}(?:\/result)?)(?:\?|$)/;
/** A form that waits for a payment looks every two seconds. */
const FORMS_PER_PAGE = 3;

/** Pages drawn at a time. More would not be faster, and what an API request waits for is the sum of their pieces. */
const AT_ONCE = 2;
/** A page that takes longer waits for the database, and lets the next one begin. */
const TURN_MS = 250;
const MOST_WAITING = 200;
/** Of one address: it may not take all places, and a browser asks for some dozen at once. */
const MOST_WAITING_PER_ADDRESS = 50;
const PATIENCE_MS = 10_000;

const BUSY: Refusal = {
  status: 503,
  sentence: "The service has too many pages to show at once. Wait a moment, and load the page again.",
  headers: { "Retry-After": "2" },
};

/** Whose pages count together. Behind Next and our host alike the address has been found out before. */
const networkBehind = (request: IncomingMessage) => networkOf(String(request.headers["x-forwarded-for"] ?? ""));

/**
 * Counts the pages of each address, and what it asks of payment forms, which may be more; answers the refusal when there were
 * too many. `perMinute` in the long run, a quarter of it at once.
 */
export function createPageLimit(perMinute = env.pageLimitPerMinute): (request: IncomingMessage) => Refusal | null {
  const bucketsOf = (times: number) =>
    createTokenBuckets({ perSecond: (times * perMinute) / 60, burst: Math.max(1, (times * perMinute) / 4) });
  const [pages, forms] = [bucketsOf(1), bucketsOf(FORMS_PER_PAGE)];
  return (request) => {
    const buckets = PAYMENT_FORM.test(request.url ?? "") ? forms : pages;
    const seconds = secondsToWait(buckets.take(networkBehind(request)));
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
    const refusal = refusalFor(request);
    if (refusal) refuseRequest(request, response, refusal);
    else await pages(request, response);
  };
}

type Waiting = { readonly network: string; readonly begin: () => void };

/**
 * Draws few pages at a time, of each address in turn, and of each in the order in which they were asked for. While the API has requests under way, pages rest after
 * each turn for as long as the process was busy with it: the API gets half of the time at least. A place in the queue is
 * refused with 503 when it is full, and ends after `PATIENCE_MS`, or when the caller leaves.
 */
export function withTurns({ api, pages }: Listeners): Listeners {
  const queue = new Set<Waiting>();
  const waitingOf = new Map<string, number>();
  /** When an address that waits or draws had its last turn, counted in turns. */
  const servedAt = new Map<string, number>();
  const drawingOf = new Map<string, number>();
  let turns = 0;
  let drawing = 0;
  let apiUnderWay = 0;
  let restUntilMs = 0;
  let isResting = false;

  function leave(waiting: Waiting): void {
    if (!queue.delete(waiting)) return;
    const left = (waitingOf.get(waiting.network) ?? 1) - 1;
    if (left > 0) waitingOf.set(waiting.network, left);
    else waitingOf.delete(waiting.network);
    forget(waiting.network);
  }

  /** An address that neither waits nor draws is like any other. */
  function forget(network: string): void {
    if (!waitingOf.has(network) && !drawingOf.has(network)) servedAt.delete(network);
  }

  /** Of those with the fewest pages being drawn the one that was served longest ago; the first of its pages. */
  function chooseNext(): Waiting | undefined {
    let best: Waiting | undefined;
    let bestRank = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const waiting of queue) {
      const rank = [drawingOf.get(waiting.network) ?? 0, servedAt.get(waiting.network) ?? -1] as const;
      const [drawn = 0, served = 0] = bestRank;
      if (rank[0] > drawn || (rank[0] === drawn && rank[1] >= served)) continue;
      best = waiting;
      bestRank = [...rank];
    }
    return best;
  }

  function proceed(): void {
    while (queue.size > 0 && drawing < AT_ONCE) {
      const restMs = apiUnderWay > 0 ? restUntilMs - performance.now() : 0;
      if (restMs > 0) {
        if (isResting) return;
        isResting = true;
        setTimeout(() => {
          isResting = false;
          proceed();
        }, restMs);
        return;
      }
      const waiting = chooseNext();
      if (!waiting) return;
      leave(waiting);
      waiting.begin();
      servedAt.set(waiting.network, ++turns);
    }
  }

  /** Answers how to end the turn; a second time changes nothing. */
  function beginTurn(network: string): () => void {
    drawing++;
    drawingOf.set(network, (drawingOf.get(network) ?? 0) + 1);
    const before = performance.eventLoopUtilization();
    let ended = false;
    const end = () => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      drawing--;
      const left = (drawingOf.get(network) ?? 1) - 1;
      if (left > 0) drawingOf.set(network, left);
      else drawingOf.delete(network);
      forget(network);
      const busyMs = performance.eventLoopUtilization(before).active;
      restUntilMs = Math.max(restUntilMs, performance.now() + Math.min(busyMs, TURN_MS));
      proceed();
    };
    const timer = setTimeout(end, TURN_MS);
    return end;
  }

  /** Resolves when it is this page's turn, with how to end it; null when there is no place, or no time left. */
  function turn(network: string, response: ServerResponse): Promise<(() => void) | null> {
    const ofNetwork = waitingOf.get(network) ?? 0;
    if (queue.size >= MOST_WAITING || ofNetwork >= MOST_WAITING_PER_ADDRESS) return Promise.resolve(null);
    return new Promise((resolve) => {
      const giveUp = () => {
        leave(waiting);
        clearTimeout(timer);
        resolve(null);
      };
      const waiting: Waiting = {
        network,
        begin() {
          clearTimeout(timer);
          response.off("close", giveUp);
          resolve(beginTurn(network));
        },
      };
      const timer = setTimeout(giveUp, PATIENCE_MS);
      response.once("close", giveUp);
      queue.add(waiting);
      waitingOf.set(network, ofNetwork + 1);
      proceed();
    });
  }

  return {
    async api(request, response) {
      apiUnderWay++;
      try {
        await api(request, response);
      } finally {
        apiUnderWay--;
      }
    },
    async pages(request, response) {
      // What has a body is no page, and its caller decides how long it takes to arrive.
      if (PAYMENT_FORM.test(request.url ?? "") || hasBody(request)) {
        await pages(request, response);
        return;
      }
      const end = await turn(networkBehind(request), response);
      if (end === null) {
        if (!response.destroyed) refuseRequest(request, response, BUSY);
        return;
      }
      response.once("close", end);
      try {
        await pages(request, response);
      } finally {
        end();
      }
    },
  };
}
