import type { Endpoint } from "@/lib/contract/endpoint";
import { AppError } from "@/lib/contract/errors";
import { Roster } from "@/lib/roster";
import { type Body, bytesOf } from "./answer";
import type { AnswerLimits, Turn } from "./answer-limits";
import type { Caller } from "./caller";

/** What a read is answered with. */
type Answered = { readonly status: number; readonly body: Body; readonly replayed: boolean; readonly made?: object };
type Reply = Answered & { readonly turn: Turn };

export type Reads = {
  /**
   * Reads when it is the reader's turn. Whoever asks the same `question` before the read begins gets the same answer. Throws
   * `rate_limited` when there is no turn in time, or nothing is left of what the reader may be answered.
   */
  inTurn(reader: string, question: string, read: () => Promise<Answered>): Promise<Reply>;
};

/** A read that others may join until it begins. `callers`: those who have yet to be sent its answer. */
type Shared = { readonly question: string; readonly reply: Promise<Reply>; callers: number; hasBegun: boolean };

/** Each of them may be slow to take the answer, which is in memory for as long. */
const MOST_CALLERS = 16;

/** Who asks what, where: equal questions have equal answers. */
export const questionOf = (
  { environment, actor }: Pick<Caller, "environment" | "actor">,
  { name }: Pick<Endpoint, "name">,
  input: object,
): string => JSON.stringify([environment.id, actor.type, actor.id, name, input]);

/**
 * Reads that may be long, in turns. A list that is asked for several times while its turn has not come is read once, for all of them:
 * as they all came before the read began, it is as new to each as one of its own.
 */
export function createReads(limits: AnswerLimits): Reads {
  const joinable = new Roster<Shared>();

  async function replyTo(own: () => Shared, reader: string, read: () => Promise<Answered>): Promise<Reply> {
    const turn = await limits.turn(reader).finally(() => void joinable.delete(own()));
    own().hasBegun = true;
    try {
      const answer = await read();
      limits.charge(reader, bytesOf(answer.body));
      turn.made();
      return Object.assign({ turn }, answer);
    } catch (error) {
      if (error instanceof AppError) limits.charge(reader, error.readBytes);
      turn.sent();
      throw error;
    }
  }

  function begin(reader: string, question: string, read: () => Promise<Answered>): Shared {
    const reply = replyTo(() => own, reader, read);
    const own: Shared = { question, reply, callers: 0, hasBegun: false };
    joinable.add(own);
    return own;
  }

  /** The turn lasts until the last of its callers was sent the answer. */
  async function join(shared: Shared): Promise<Reply> {
    shared.callers++;
    const reply = await shared.reply;
    let isSent = false;
    const sent = () => {
      if (isSent) return;
      isSent = true;
      shared.callers--;
      if (shared.callers === 0) reply.turn.sent();
    };
    return Object.assign({}, reply, { turn: { made: reply.turn.made, sent } });
  }

  /** Null: the one who came first got no turn in time, which is no refusal of those who came later. */
  async function joinLater(reader: string, shared: Shared): Promise<Reply | null> {
    let reply: Reply;
    try {
      reply = await join(shared);
    } catch (error) {
      if (!shared.hasBegun) return null;
      throw error;
    }
    try {
      // Those before it may have used up what there was.
      limits.check(reader);
      limits.charge(reader, bytesOf(reply.body));
      return reply;
    } catch (error) {
      reply.turn.sent();
      throw error;
    }
  }

  return {
    async inTurn(reader, question, read) {
      const same = joinable.find((other) => other.question === question && other.callers < MOST_CALLERS);
      return (same && (await joinLater(reader, same))) ?? join(begin(reader, question, read));
    },
  };
}
