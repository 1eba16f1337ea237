import { newId } from "@/lib/ids";
import type { InquireRequest, Inquiry, Outcome, Processor } from "@/lib/processor/port";
import { latch } from "./latch";

type Method = "authorize" | "continueAuthorization" | "capture" | "void" | "refund" | "inquire";
type Answer = Inquiry;

/** What happens to one call: `real` lets the sandbox execute it. */
export type Step = (real: () => Promise<Answer>) => Promise<unknown>;

/** Nothing is executed, and this is the answer. */
export const says =
  (answer: Answer): Step =>
  async () =>
    answer;

/** It is executed, and the answer never arrives. */
export const losesAnswer: Step = async (real) => {
  await real();
  return { kind: "unknown", reason: "the connection was lost" };
};

/** It is executed, and the connection breaks with an error. */
export const throwsAfter: Step = async (real) => {
  await real();
  throw new Error("socket hang up");
};

/** Holds a call until `release`, so that a test can look at what happens meanwhile. */
export function holds(): { step: Step; reached: Promise<void>; release(): void } {
  const { reached, release, hold } = latch();
  const step: Step = async (real) => {
    await hold();
    return real();
  };
  return { step, reached, release };
}

/** The sandbox with a script in front of it; with no step left it does as the sandbox does. */
export function scriptProcessor(sandbox: Processor) {
  const calls: { method: Method; reference: string; amount: number | null }[] = [];
  const steps: Step[] = [];
  const scripted =
    <R extends { reference: string; amount?: number }>(
      method: Exclude<Method, "inquire">,
      call: (request: R) => Promise<Outcome>,
    ) =>
    (request: R) => {
      calls.push({ method, reference: request.reference, amount: request.amount ?? null });
      const step = steps.shift();
      return (step ? step(() => call(request)) : call(request)) as Promise<Outcome>;
    };
  const processor: Processor = {
    ...sandbox,
    authorize: scripted("authorize", (request) => sandbox.authorize(request)),
    continueAuthorization: scripted("continueAuthorization", (request) => sandbox.continueAuthorization(request)),
    capture: scripted("capture", (request) => sandbox.capture(request)),
    void: scripted("void", (request) => sandbox.void(request)),
    refund: scripted("refund", (request) => sandbox.refund(request)),
    inquire(request) {
      calls.push({ method: "inquire", reference: request.reference, amount: null });
      const step = steps.shift();
      return (step ? step(() => sandbox.inquire(request)) : sandbox.inquire(request)) as Promise<Inquiry>;
    },
  };
  return {
    processor,
    calls,
    /** What happens to the next calls, in this order. */
    next: (...more: Step[]) => void steps.push(...more),
    count: (method: Method) => calls.filter((call) => call.method === method).length,
  };
}

/** What every call names besides its reference. */
export const CALLED = {
  challengePage: "https://cardlane.example/challenge/of-this-payment",
  objects: [],
  keep: async () => {},
};

/** The question what became of a reference. */
export function inquiry(reference: string, request: Partial<InquireRequest> = {}): InquireRequest {
  return { ...CALLED, reference, account: newId(), kind: "authorize", authorization: reference, ...request };
}
