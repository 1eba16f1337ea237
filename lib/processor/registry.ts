import type { Mode } from "@/lib/contract/transaction-words";
import type { Processor } from "./port";

export type Registry = {
  /** The processor of a mode; null while none is configured (`processor_not_configured`). */
  processorFor(mode: Mode): Processor | null;
};

/** Test mode always has the sandbox; live mode has what the operator configured. */
export function createRegistry(processors: { sandbox: Processor; live?: Processor | null }): Registry {
  return {
    processorFor: (mode) => (mode === "test" ? processors.sandbox : (processors.live ?? null)),
  };
}
