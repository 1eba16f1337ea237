import type { Inquiry, Outcome, Processor, PulledReport, PulledReports } from "@/lib/processor/port";
import type { DisputeResponseOutcome, DisputeResponseRequest } from "@/lib/processor/records";
import type { Actor, World } from "./world";

const MOVES = ["authorize", "continueAuthorization", "capture", "void", "refund"] as const;
type Move = (typeof MOVES)[number];
type MoveRequest = { reference: string; notAfter: Date };

/** A call that moves money, with everything the simulation knows about it. */
type Call = {
  readonly reference: string;
  readonly move: Move;
  /** A call in progress may still be executed. */
  state: "under way" | "over";
  /** If clocks are right, the call can't be executed after this time. */
  readonly notAfterMs: number;
  /** The processor has accepted the call and is working on it. */
  isPending: boolean;
  /** The caller received the outcome. */
  isAnswered: boolean;
};

/** Fates of a call: the call or its response may be late, lost, broken or unreadable. */
const FATES = [
  ...["answer lost", "answer lost", "answer broken", "answer garbage", "answer late"],
  ...["lost", "late", "late", "late", "refused", "refused", "accepted", "accepted"],
] as const;
/**
 * Fates at a failing processor: most calls are refused immediately, and the responses of the others are lost.
 */
const FATES_REFUSING = [
  "refused",
  "refused",
  "refused",
  "refused",
  "answer lost",
  "answer lost",
  "answer broken",
] as const;
const LATE_MS = [500, 3_000, 7_900, 8_100, 9_500, 12_000, 30_000];
const SLOW_MS = [0, 0, 0, 50, 500, 3_000, 7_000];

const FATES_OF_RESPONSES = ["lost", "answer lost", "answer lost", "answer broken", "late", "refused"] as const;
const UNSUPPORTED: DisputeResponseOutcome = { kind: "not_sent", reason: "the processor takes no responses" };

/** Disputes have random ids, so they are sorted by their charges, whose order is the same in every run. */
function inOrder(reports: readonly PulledReport[]): PulledReport[] {
  const [disputes, others] = [true, false].map((is) => reports.filter((one) => (one.dispute !== undefined) === is));
  const key = (report: PulledReport) => ("reference" in report ? report.reference : "") + report.id.split(":").at(-1);
  return [...(others ?? []), ...(disputes ?? []).sort((a, b) => (key(a) < key(b) ? -1 : 1))];
}

export class ProcessorAway extends Error {}

/** The network between the service and its processor. Every call is a step that continues once it is sent. */
export class Network {
  readonly calls: Call[] = [];
  /**
   * Set if a card of this world gets a garbage response. Its calls are never executed, so none may be
   * reported as accepted.
   */
  hasGarbage = false;
  /** Number of further calls to refuse, before execution, in a row. */
  #refuses = 0;
  #calls = 0;
  #acknowledged: PulledReport[] = [];
  #disputeReads = 0;
  /** The latest read of each dispute whose response was heard. */
  readonly #heard = new Map<string, { order: number; status: string | undefined }>();

  constructor(
    readonly world: World,
    readonly inner: Processor,
    /** If clocks are right, a call past its deadline can't be executed. */
    readonly hasRightClock: boolean,
    /** True if the processor has charged a reference, which only the simulation can look up. */
    readonly isCharged: (reference: string) => Promise<boolean>,
  ) {}

  get processor(): Processor {
    const { inner, world } = this;
    const moves = Object.fromEntries(
      MOVES.map((move) => [move, (request: MoveRequest) => this.#move(move, request)]),
    ) as unknown as Pick<Processor, Move>;
    return {
      ...inner,
      ...moves,
      tokenize: (...card) => inner.tokenize(...card),
      inquire: async (...asked) => {
        const [{ reference }] = asked;
        const call = this.calls.find((one) => one.reference === reference && one.isPending);
        const answer = await this.#ask(
          "inquires",
          async (): Promise<Inquiry> =>
            call && call.state === "under way" ? { kind: "pending" } : inner.inquire(...asked),
        );
        const wasOrphan = !this.calls.some((one) => one.reference === reference && one.isAnswered);
        if (answer.kind === "approved" && wasOrphan) world.sometimes("an orphaned approval is found");
        if (answer.kind === "pending") world.sometimes("the processor still works on it");
        return answer;
      },
      close: async (...asked) => {
        const answer = await this.#ask("closes", () => inner.close(...asked));
        if (answer.kind === "never") world.sometimes("a reference is closed");
        return answer;
      },
      readDispute: async (id) => {
        const read = await this.#ask("reads a dispute", async () => (await inner.readDispute?.(id)) ?? null);
        const order = ++this.#disputeReads;
        // Slow responses are no fault, which would be too rare for two reads to overtake each other.
        const lateMs = world.fault("network") ? LATE_MS : SLOW_MS;
        await world.park("hears late", { dueMs: world.nowMs + world.chaos.pick(lateMs) });
        const latest = this.#heard.get(id);
        if (latest && latest.order > order && latest.status !== read?.status)
          world.sometimes("an outdated read of a dispute is heard last");
        else this.#heard.set(id, { order, status: read?.status });
        return read;
      },
      respondToDispute: (request) => this.#respond(request),
      reports: this.#reports(),
      // A card that stays at the processor reveals each payment that begins after its removal here.
      removeCard: () => Promise.reject(new ProcessorAway("the processor deletes no cards")),
      forgetOldAttempts: () => inner.forgetOldAttempts(),
    };
  }

  #reports(): PulledReports {
    const { reports } = this.inner;
    if (reports.kind !== "pulled") throw new Error("the simulated processor is polled for reports");
    return {
      kind: "pulled",
      list: async (...asked) => this.#disorder(inOrder(await this.#ask("lists reports", () => reports.list(...asked)))),
      acknowledge: (...asked) => this.#ask("acknowledges", () => reports.acknowledge(...asked)),
    };
  }

  /** Sends a call, which continues even if its sender dies. */
  #dispatch<T>(what: string, work: () => Promise<T>, delayMs: number, done: (answer: T | Error) => void): void {
    const { world } = this;
    const sender = world.actor;
    const carrier: Actor = { name: `call ${++this.#calls} of ${sender.name}`, process: null };
    const goes = async () => {
      const answer = await work().catch((error: Error) => error);
      const said = answer instanceof Error ? answer.message : describe(answer);
      world.note(`${what} ends: ${said}`, carrier);
      world.parkStep("hears", () => done(answer), { actor: sender });
    };
    const dueMs = world.nowMs + delayMs;
    world.parkStep(what, () => void goes(), { actor: carrier, dueMs });
  }

  async #ask<T>(what: string, work: () => Promise<T>): Promise<T> {
    const { world } = this;
    await world.park(what);
    if (world.fault("network") && world.chaos.chance(0.3)) {
      world.note(`${what}: no connection`);
      throw new ProcessorAway("the processor cannot be reached");
    }
    return new Promise((resolve, reject) => {
      this.#dispatch(what, work, 0, (answer) => (answer instanceof Error ? reject(answer) : resolve(answer)));
    });
  }

  async #move(move: Move, request: MoveRequest): Promise<Outcome> {
    const { world } = this;
    const fate = await world.perform(`sends ${move}`, async () => {
      const fate = this.#fate();
      world.note(`sends ${move}${fate === null ? "" : ` (${fate})`}`);
      if (move === "authorize" && fate !== "refused") await this.#judge(request);
      return fate;
    });
    if (fate === "refused") return { kind: "not_sent", reason: "the processor refused it unread" };
    const call: Call = {
      reference: request.reference,
      move,
      notAfterMs: request.notAfter.getTime(),
      state: "under way",
      isPending: false,
      isAnswered: false,
    };
    this.calls.push(call);
    if (fate === "lost") {
      call.state = "over";
      return new Promise(() => {});
    }
    const isLate = fate === "late" || fate === "accepted";
    const delayMs = isLate ? world.chaos.pick(LATE_MS) : 0;
    const inner = this.inner[move] as (request: MoveRequest) => Promise<Outcome>;
    const work = async () => {
      const outcome = await (fate === "accepted" ? this.#executeForCertain(inner, request) : inner(request)).catch(
        (error: Error) => error,
      );
      call.state = "over";
      if (outcome instanceof Error) throw outcome;
      if (outcome.kind === "not_sent" && outcome.reason.includes("after its time"))
        world.sometimes("a call arrives too late");
      return outcome;
    };
    return new Promise<Outcome>((resolve, reject) => {
      this.#dispatch(move, work, delayMs, (answer) => {
        call.isPending = false;
        if (fate === "answer lost") return;
        if (fate === "answer broken" || answer instanceof Error) {
          return reject(answer instanceof Error ? answer : new Error("socket hang up"));
        }
        if (fate === "answer garbage") return resolve({ kind: "<html>" } as never);
        const hear = () => {
          call.isAnswered = true;
          resolve(answer);
        };
        if (fate !== "answer late") return hear();
        world.parkStep("hears late", hear, { dueMs: world.nowMs + world.chaos.pick(LATE_MS) });
      });
      if (fate === "accepted") {
        call.isPending = true;
        world.sometimes("the processor accepts and decides later");
        resolve({ kind: "pending" });
      }
    });
  }

  /** A processor executes every call that it has accepted, so this retries until it succeeds. */
  async #executeForCertain(inner: (request: MoveRequest) => Promise<Outcome>, request: MoveRequest): Promise<Outcome> {
    for (;;) {
      const notAfter = new Date(this.world.nowMs + 1_000_000_000);
      const outcome = await inner({ ...request, notAfter }).catch(() => null);
      if (outcome && outcome.kind !== "not_sent" && outcome.kind !== "unknown") return outcome;
      await this.world.timer.wait(1_000);
    }
  }

  /** Sends a response to a dispute. Whatever its fate, only the dispute itself tells what it did. */
  async #respond(request: DisputeResponseRequest): Promise<DisputeResponseOutcome> {
    const { world, inner } = this;
    const what = `sends ${request.kind}`;
    await world.park(what);
    const fate = world.fault("network", 2) ? world.chaos.pick(FATES_OF_RESPONSES) : null;
    world.note(`${what}${fate === null ? "" : ` (${fate})`}`);
    if (fate === "refused") return { kind: "not_sent", reason: "the processor refused it unread" };
    if (fate === "lost") return new Promise(() => {});
    const send = async () => (await inner.respondToDispute?.(request)) ?? UNSUPPORTED;
    const delayMs = fate === "late" ? world.chaos.pick(LATE_MS) : 0;
    if (fate !== null) world.sometimes("a response to a dispute is disturbed");
    return new Promise((resolve, reject) => {
      this.#dispatch(what, send, delayMs, (answer) => {
        if (fate === "answer lost") return;
        if (fate === "answer broken") return reject(new Error("socket hang up"));
        return answer instanceof Error ? reject(answer) : resolve(answer);
      });
    });
  }

  /** Picks a call's fate. A failing processor refuses several calls in a row. */
  #fate(): (typeof FATES)[number] | null {
    const { world } = this;
    if (world.hasFaults && this.#refuses > 0) {
      this.#refuses--;
      return "refused";
    }
    if (!world.fault("network")) return null;
    const fate = world.chaos.pick(world.theme === "refusing" ? FATES_REFUSING : FATES);
    if (fate === "refused") this.#refuses = world.chaos.pick([0, 1, 2, 2, 2, 3]);
    return fate === "accepted" && this.hasGarbage ? "late" : fate;
  }

  /** An authorization may be resent only if no earlier call for it was executed or still can be. */
  async #judge({ reference, notAfter }: MoveRequest): Promise<void> {
    const earlier = this.calls.filter((call) => call.reference === reference && call.move === "authorize");
    if (earlier.length === 0) return;
    this.world.sometimes("an authorization is sent again");
    // A process that was frozen just before sending sends when it resumes; that call is too late to be
    // executed.
    if (!this.hasRightClock || notAfter.getTime() < this.world.nowMs) return;
    const mayStillBe = ({ state, isPending, notAfterMs }: Call) =>
      state === "under way" && (isPending || notAfterMs >= this.world.nowMs);
    if (earlier.some(mayStillBe)) this.world.violate("an authorization is sent again while a call for it is in flight");
    if (await this.isCharged(reference)) this.world.violate("an executed authorization is sent again");
  }

  /** All reports of disputes up to now, which the processor may repeat at any time. */
  get disputeReports(): readonly PulledReport[] {
    return this.#acknowledged.filter(({ dispute }) => dispute !== undefined);
  }

  /** Repeats and reorders reports, or holds them back. */
  #disorder(reports: PulledReport[]): PulledReport[] {
    const { world } = this;
    const fresh = reports.filter((report) => !this.#acknowledged.some(({ id }) => id === report.id));
    this.#acknowledged.push(...fresh);
    if (!world.fault("report")) return reports;
    if (reports.some(({ dispute }) => dispute !== undefined) && world.chaos.chance(0.4)) {
      world.note("a report is late");
      world.sometimes("a report of a dispute arrives late");
      return world.chaos.shuffle(reports).slice(1);
    }
    world.note("reports come twice and in another order");
    world.sometimes("a report arrives twice");
    return world.chaos.shuffle([...reports, ...reports, ...this.#acknowledged.slice(0, 2)]);
  }
}

const describe = (answer: unknown): string => {
  if (Array.isArray(answer)) return `${answer.length} of them`;
  return typeof answer === "object" && answer !== null && "kind" in answer ? String(answer.kind) : "done";
};
