import { AppError } from "@/lib/contract/errors";

/**
 * Requests that move the money of one payment: few at once, in the order in which they came. Each is answered with the payment
 * and all of its refunds, and a merchant's limits are asked before an answer and told of it afterwards: hundreds at once would
 * all be let through, and fill the memory. Requests for other payments do not wait for them.
 */
export type PaymentLines = {
  /** Resolves when it is this request's turn; throws `rate_limited` when that takes too long. */
  take(payment: string): Promise<Place>;
};

export type Place = {
  /** What was true of the caller when it came may have changed. */
  readonly waited: boolean;
  leave(): void;
};

export type PaymentLineOptions = { atOnce?: number; mostWaiting?: number; patienceMs?: number };

type Waiting = { begin(): void; readonly giveUp: NodeJS.Timeout };
type Line = { running: number; readonly queue: Set<Waiting> };

/** More than a shop sends for one payment: a line of parcels, or a retry beside its first request. */
const AT_ONCE = 4;
const MOST_WAITING = 1_000;
/** Well within the time in which a request has to be answered. */
const PATIENCE_MS = 10_000;

export function createPaymentLines({
  atOnce = AT_ONCE,
  mostWaiting = MOST_WAITING,
  patienceMs = PATIENCE_MS,
}: PaymentLineOptions = {}): PaymentLines {
  const lines = new Map<string, Line>();

  function placeIn(line: Line, payment: string, waited: boolean): Place {
    let isOver = false;
    line.running++;
    return {
      waited,
      leave() {
        if (isOver) return;
        isOver = true;
        line.running--;
        const [next] = line.queue;
        if (next) next.begin();
        else if (line.running === 0) lines.delete(payment);
      },
    };
  }

  return {
    async take(payment) {
      const line = lines.get(payment) ?? { running: 0, queue: new Set<Waiting>() };
      lines.set(payment, line);
      if (line.running < atOnce) return placeIn(line, payment, false);
      if (line.queue.size >= mostWaiting) throw busy();
      return new Promise((resolve, reject) => {
        const waiting: Waiting = {
          begin() {
            line.queue.delete(waiting);
            clearTimeout(waiting.giveUp);
            resolve(placeIn(line, payment, true));
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

const busy = () =>
  new AppError(
    "rate_limited",
    "Too many requests for this payment are under way. Nothing was done; send this one again in 2 s, with the same key.",
    { headers: { "Retry-After": "2" } },
  );
