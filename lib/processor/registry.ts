import type { CardBrand, Mode } from "@/lib/contract/transactions/words";
import type { Processor } from "./port";

/** A processor, with the connection id that payments store. */
export type Connected = {
  /** Null for the processor that is built into the mode. */
  readonly connectionId: string | null;
  readonly mode: Mode;
  readonly processor: Processor;
  /**
   * A merchant's connection, which can be disconnected at any moment: T1 must check that it is still
   * connected.
   */
  readonly guarded: boolean;
};

/** The source of reports. */
export type Reporter = Connected & {
  /** A merchant's connection reports on this environment only; null: on any. */
  readonly environmentId: string | null;
  /** Key of its connector, or name of a built-in processor. */
  readonly kind: string;
  /** Body of the 200 that acknowledges a message; null: 204. */
  readonly accepted: string | null;
};

/**
 * Properties of a payment that its processor is chosen by. The
 * brand is known for card numbers, not for a processor's own token.
 */
export type PaymentToRoute = { readonly currency: string; readonly brand: CardBrand | null };

type Environment = { readonly id: string; readonly mode: Mode };

/** Finds the processor of each payment. */
export type Registry = {
  /**
   * For payments without a connection: the sandbox in test mode. In live mode there is none except in tests.
   */
  builtIn(mode: Mode): Processor | null;
  /** For a new payment, by the current rules; null if none is connected (`processor_not_configured`). */
  choose(environment: Environment, payment: PaymentToRoute): Promise<Connected | null>;
  /** The processor of an existing payment, whatever the rules are now; null if it is not connected. */
  find(environment: Environment, connectionId: string | null): Promise<Connected | null>;
  /**
   * True if the environment's payments may be at other processors
   * than the built-in one: each then has its own connection.
   */
  hasOthers(environment: Environment): boolean | Promise<boolean>;
  /** The source of reports with a built-in name or a connection's id; null for any other. */
  reporter(name: string): Promise<Reporter | null>;
  /** Call after a change by this process, so that it takes effect immediately. */
  changed(): void;
  /** Connections of merchants and the operator; null if there can be none. */
  readonly connecting: Connecting | null;
};

export type Connecting = {
  /** The operator's processor, for live payments of merchants without a connection; null if none. */
  readonly operator: string | null;
  /**
   * Path of the operator's webhooks; null without an operator's
   * processor. Throws `processor_error` until its account is known.
   */
  operatorAddress(): Promise<string | null>;
  /** True if connections of that mode may be given card numbers. */
  allowsRawCards(mode: Mode): boolean;
  /** A processor for checks, independent of the one that payments use. `credentials`: their JSON. */
  open(
    connection: { id: string; processor: string; raw_cards: boolean; metadata_keys: string[] },
    credentials: string,
    mode: Mode,
  ): Processor;
};

export type BuiltIn = { sandbox: Processor; live?: Processor | null };

/** Registry of built-in processors only. */
export function createRegistry({ sandbox, live = null }: BuiltIn): Registry {
  const of = (mode: Mode, processor: Processor | null): Connected | null =>
    processor && { connectionId: null, mode, processor, guarded: false };
  const connected = { test: of("test", sandbox), live: of("live", live) };
  return {
    builtIn: (mode) => connected[mode]?.processor ?? null,
    choose: async ({ mode }) => connected[mode],
    find: async ({ mode }, connectionId) => (connectionId === null ? connected[mode] : null),
    hasOthers: () => false,
    async reporter(name) {
      const found = Object.values(connected).find((one) => one?.processor.name === name);
      return found ? { ...found, environmentId: null, kind: name, accepted: null } : null;
    },
    changed: () => {},
    connecting: null,
  };
}
