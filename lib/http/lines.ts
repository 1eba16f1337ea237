import { AppError } from "@/lib/contract/errors";
import { Roster } from "@/lib/roster";

/** Requests of one name, a payment's or a merchant's: so many at once, the others in the order in which they came. */
export type Lines = {
  /** Resolves when it is this request's turn; throws `rate_limited` when that takes too long. Names do not wait for each other. */
  take(name: string): Promise<Place>;
};

export type Place = {
  /** What was true of the caller when it came may have changed. */
  readonly waited: boolean;
  leave(): void;
};

export type LineOptions = {
  atOnce: number;
  mostWaiting: number;
  /** What there are too many of, in a refusal. */
  what: string;
  patienceMs?: number;
};

type Waiting = { begin(): void; readonly giveUp: NodeJS.Timeout };
type Line = { running: number; readonly queue: Roster<Waiting> };

/** Well within the time in which a request has to be answered. */
const PATIENCE_MS = 10_000;

export function createLines({ atOnce, mostWaiting, what, patienceMs = PATIENCE_MS }: LineOptions): Lines {
  const lines = new Map<string, Line>();
  const busy = () =>
    new AppError(
      "rate_limited",
      `Too many requests for ${what} are in progress. Nothing was done: send this one again in 2 s with the same key.`,
      { retryAfterSeconds: 2 },
    );

  function placeIn(line: Line, name: string, waited: boolean): Place {
    let isOver = false;
    line.running++;
    return {
      waited,
      leave() {
        if (isOver) return;
        isOver = true;
        line.running--;
        const next = line.queue.first;
        if (next) next.begin();
        else if (line.running === 0) lines.delete(name);
      },
    };
  }

  return {
    async take(name) {
      const line = lines.get(name) ?? { running: 0, queue: new Roster<Waiting>() };
      if (line.running >= atOnce && line.queue.size >= mostWaiting) throw busy();
      lines.set(name, line);
      if (line.running < atOnce) return placeIn(line, name, false);
      return new Promise((resolve, reject) => {
        const waiting: Waiting = {
          begin() {
            line.queue.delete(waiting);
            clearTimeout(waiting.giveUp);
            resolve(placeIn(line, name, true));
          },
          giveUp: setTimeout(() => {
            line.queue.delete(waiting);
            reject(busy());
          }, patienceMs),
        };
        line.queue.add(waiting);
      });
    },
  };
}

/**
 * Of those that move one payment's money: more than a shop sends for it at once. Each is answered with the payment and all of its
 * refunds, and limits are asked before an answer and told of it afterwards: hundreds at once would all be let through, and fill
 * the memory.
 */
const OF_A_PAYMENT: LineOptions = { atOnce: 4, mostWaiting: 1_000, what: "this payment" };

/** Of those with which one merchant's servers, or its people, write: what is at work at once shares the process with everybody's. */
const OF_A_MERCHANT: LineOptions = { atOnce: 250, mostWaiting: 750, what: "your account" };

export type WriteLines = {
  /**
   * Does `work` when it is its turn: first among those for its payment, for who waits there is not at work, then among its
   * merchant's. Null: it is in no such line. Throws `rate_limited`, and then has done nothing.
   */
  inTurn<T>(names: LineNames, work: (waited: boolean) => Promise<T>): Promise<T>;
};

type LineNames = { readonly payment: string | null; readonly merchant: string | null };

export function createWriteLines(): WriteLines {
  const payments = createLines(OF_A_PAYMENT);
  const merchants = createLines(OF_A_MERCHANT);
  return {
    async inTurn({ payment, merchant }, work) {
      const places: Place[] = [];
      try {
        if (payment !== null) places.push(await payments.take(payment));
        if (merchant !== null) places.push(await merchants.take(merchant));
        return await work(places.some(({ waited }) => waited));
      } finally {
        for (const place of places) place.leave();
      }
    },
  };
}
