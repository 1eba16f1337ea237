import type { Endpoint } from "@/lib/contract/endpoint";
import { AppError } from "@/lib/contract/errors";
import { Roster } from "@/lib/roster";
import { type Body, bytesOf } from "./answer";
import { type AnswerLimits, PATIENCE_MS, type Turn, type TurnOptions } from "./answer-limits";
import type { Caller } from "./caller";

/** What a read is answered with. */
export type Answered = {
  readonly status: number;
  readonly body: Body;
  readonly replayed: boolean;
  readonly made?: object;
};
type Reply = Answered & { readonly turn: Turn };

export type Reads = {
  /**
   * Reads when it is the reader's turn, or joins a read that waits with the same `question`. Throws `rate_limited` when there is no
   * turn in time, or nothing is left of what the reader may be answered.
   */
  inTurn(reader: string, question: string, read: () => Promise<Answered>, options?: TurnOptions): Promise<Reply>;
};

/** A read that others may join until it begins. `callers`: those who have yet to be sent its answer. */
type Shared = { readonly question: string; readonly taken: Promise<Taken>; readonly sinceMs: number; callers: number };
type Read = () => Promise<Answered>;
type Taken = { readonly answer: Answered; readonly turn: Turn };

/** Its turn lasts until the slowest of its callers has taken the answer. */
const MOST_CALLERS = 16;
/** Who joins a read is refused with it, and never at once. */
const JOINABLE_MS = PATIENCE_MS / 2;

/** Who asks what, where: equal questions have equal answers. */
export const questionOf = (
  { environment, actor }: Pick<Caller, "environment" | "actor">,
  { name }: Pick<Endpoint, "name">,
  input: object,
): string => JSON.stringify([environment.id, actor.type, actor.id, name, input]);

/**
 * Reads that may be long, in turns. What is asked for several times while its turn has not come is read once, for all who ask: as they
 * all came before the read began, it is as new to each as one of its own.
 */
export function createReads(limits: AnswerLimits): Reads {
  const waiting = new Roster<Shared>();

  async function take(begins: () => void, reader: string, read: Read, options?: TurnOptions): Promise<Taken> {
    const turn = await limits.turn(reader, options).finally(begins);
    try {
      const answer = await read();
      limits.charge(reader, bytesOf(answer.body));
      turn.made();
      return { answer, turn };
    } catch (error) {
      if (error instanceof AppError) limits.charge(reader, error.readBytes);
      turn.sent();
      throw error;
    }
  }

  function begin(reader: string, question: string, read: Read, options?: TurnOptions): Shared {
    const taken = take(() => void waiting.delete(own), reader, read, options);
    const own: Shared = { question, taken, sinceMs: performance.now(), callers: 0 };
    waiting.add(own);
    return own;
  }

  /** The reply with a turn that ends when the last of the callers was sent it. */
  async function replyOf(shared: Shared): Promise<Reply> {
    shared.callers++;
    const { answer, turn } = await shared.taken;
    let isSent = false;
    const sent = () => {
      if (isSent) return;
      isSent = true;
      shared.callers--;
      if (shared.callers === 0) turn.sent();
    };
    return Object.assign({ turn: { made: turn.made, sent } }, answer);
  }

  async function join(reader: string, shared: Shared): Promise<Reply> {
    const reply = await replyOf(shared);
    try {
      // Those before it may have used up what there was.
      limits.check(reader);
      limits.charge(reader, bytesOf(reply.body), 0);
      return reply;
    } catch (error) {
      reply.turn.sent();
      throw error;
    }
  }

  return {
    async inTurn(reader, question, read, options) {
      const latestMs = performance.now() - JOINABLE_MS;
      const same = waiting.find(
        (other) => other.question === question && other.callers < MOST_CALLERS && other.sinceMs > latestMs,
      );
      return same ? join(reader, same) : replyOf(begin(reader, question, read, options));
    },
  };
}
