import type { IncomingMessage, ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import { siteOf } from "@/lib/auth/attempt-limits";
import { arrived } from "./arrival";
import { refuseRequest, type ServerRefusal } from "./gate";
import type { Listener } from "./http-server";
import { isPaymentForm } from "./page-limits";

/**
 * A page begins when the one before is made, or waits and leaves the process idle: what a payment form waits for is one piece of
 * one page. So often it is looked at; while other work keeps the process busy, one has the turn for no longer than this.
 */
const LOOK_MS = 5;
const LONGEST_TURN_MS = 50;
/**
 * Pages under way, those of the last moment: what they wait for is the database, which has to have room for the payments.
 * Payment forms are not among them: they wait for the card's bank.
 */
const AT_ONCE = 4;
const MOMENT_MS = 250;
const MOST_WAITING = 200;
/** Limit of one address: it may not take every place, and a browser requests some dozen files at once. */
const MOST_WAITING_PER_SITE = 50;
const PATIENCE_MS = 10_000;

const BUSY: ServerRefusal = {
  status: 503,
  sentence: "The service has too many pages to show at once. Wait a moment, and load the page again.",
  headers: { "Retry-After": "2" },
};

type Queue = {
  /**
   * False when no place is left. In a full queue the last entry of the site with the most entries makes room for a site with
   * fewer: a few insistent callers must not keep everyone else out.
   */
  add(one: Waiting): boolean;
  remove(one: Waiting): void;
  /** Takes the one whose turn it is. */
  next(): Waiting | undefined;
};
type Waiting = { readonly queue: Queue; readonly site: string; begin(): void; giveUp(): void };

/** Who waits: of each site in turn, and of each in the order in which they came. */
function createQueue(): Queue {
  const waiting = new Map<string, Set<Waiting>>();
  let size = 0;
  function remove(one: Waiting): void {
    const own = waiting.get(one.site);
    if (!own?.delete(one)) return;
    size--;
    if (own.size === 0) waiting.delete(one.site);
  }
  function makeRoom(number: number): boolean {
    let most = new Set<Waiting>();
    for (const own of waiting.values()) if (own.size > most.size) most = own;
    if (most.size <= number + 1) return false;
    [...most].at(-1)?.giveUp();
    return true;
  }
  return {
    add(one) {
      const number = waiting.get(one.site)?.size ?? 0;
      if (number >= MOST_WAITING_PER_SITE || (size >= MOST_WAITING && !makeRoom(number))) return false;
      waiting.set(one.site, (waiting.get(one.site) ?? new Set()).add(one));
      size++;
      return true;
    },
    remove,
    next() {
      for (const [site, own] of waiting) {
        // From now on its site is the last one.
        waiting.delete(site);
        waiting.set(site, own);
        const [one] = own;
        if (one) remove(one);
        return one;
      }
      return undefined;
    },
  };
}

/**
 * Makes one page after another, of each site in turn, payment forms and other pages alternately: of a process that draws pages no
 * stranger may take more than a share. A place in the queue is refused with 503 when it is full, and ends after `PATIENCE_MS`, or
 * when the caller leaves.
 */
export function withTurns(pages: Listener): Listener {
  const [formQueue, pageQueue] = [createQueue(), createQueue()];
  let isFormsTurn = true;
  let pagesUnderWay = 0;
  let isBusy = false;

  function next(): Waiting | undefined {
    const page = () => (pagesUnderWay < AT_ONCE ? pageQueue.next() : undefined);
    const waiting = isFormsTurn ? (formQueue.next() ?? page()) : (page() ?? formQueue.next());
    isFormsTurn = waiting?.queue === pageQueue;
    return waiting;
  }

  function proceed(): void {
    while (!isBusy) {
      const waiting = next();
      if (!waiting) return;
      waiting.begin();
    }
  }

  /** Answers how to end it; a second time changes nothing. */
  function begin(queue: Queue): () => void {
    const counted = queue === pageQueue ? 1 : 0;
    pagesUnderWay += counted;
    isBusy = true;
    let last = performance.eventLoopUtilization();
    const look = setInterval(() => {
      const now = performance.eventLoopUtilization();
      const { idle } = performance.eventLoopUtilization(now, last);
      last = now;
      if (idle >= LOOK_MS / 2) giveWay();
    }, LOOK_MS);
    const longest = setTimeout(() => giveWay(), LONGEST_TURN_MS);
    const giveWay = once(() => {
      clearInterval(look);
      clearTimeout(longest);
      isBusy = false;
      proceed();
    });
    const end = once(() => {
      clearTimeout(moment);
      pagesUnderWay -= counted;
      giveWay();
      proceed();
    });
    const moment = setTimeout(end, MOMENT_MS);
    return end;
  }

  /** Resolves with how to end the turn when this page may be drawn; null when there is no place or no time left. */
  function turn(request: IncomingMessage, response: ServerResponse): Promise<(() => void) | null> {
    const queue = isPaymentForm(request) ? formQueue : pageQueue;
    const site = siteOf(String(request.headers["x-forwarded-for"] ?? ""));
    if (response.destroyed) return Promise.resolve(null);
    return new Promise((resolve) => {
      const waiting: Waiting = {
        queue,
        site,
        begin() {
          clearTimeout(timer);
          response.off("close", waiting.giveUp);
          resolve(begin(queue));
        },
        giveUp() {
          queue.remove(waiting);
          clearTimeout(timer);
          response.off("close", waiting.giveUp);
          resolve(null);
        },
      };
      const timer = setTimeout(waiting.giveUp, PATIENCE_MS);
      response.once("close", waiting.giveUp);
      if (queue.add(waiting)) proceed();
      else waiting.giveUp();
    });
  }

  return async (request, response) => {
    // The sender decides how long a body takes, so nobody else's turn waits for it.
    await arrived(request);
    const end = await turn(request, response);
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
  };
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}
