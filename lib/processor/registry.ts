import type { Mode } from "@/lib/contract/transactions/words";
import type { Processor } from "./port";

export type Registry = {
  /** The processor of a mode; null while none is configured (`processor_not_configured`). */
  processorFor(mode: Mode): Processor | null;
  /** A processor by its name, with the mode it serves; null for any other name. */
  named(name: string): { readonly processor: Processor; readonly mode: Mode } | null;
};

/** Test mode always has the sandbox; live mode has what the operator configured. */
export function createRegistry(processors: { sandbox: Processor; live?: Processor | null }): Registry {
  const { sandbox, live = null } = processors;
  return {
    processorFor: (mode) => (mode === "test" ? sandbox : live),
    named(name) {
      if (name === sandbox.name) return { processor: sandbox, mode: "test" };
      return live && name === live.name ? { processor: live, mode: "live" } : null;
    },
  };
}
