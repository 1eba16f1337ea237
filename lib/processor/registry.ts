import type { CardBrand, Mode } from "@/lib/contract/transactions/words";
import type { Processor } from "./port";

/** A processor as payments name it. */
export type Connected = {
  /** Null: the one that is built into the mode. */
  readonly connectionId: string | null;
  readonly mode: Mode;
  readonly processor: Processor;
  /** A merchant's connection, which may be disconnected at any moment: T1 has to see that it is not. */
  readonly guarded: boolean;
};

/** Whose messages came. */
export type Reporter = Connected & {
  /** A merchant's connection reports on this environment alone; null: on any. */
  readonly environmentId: string | null;
  /** Key of its connector, or the name of one that is built in. */
  readonly kind: string;
  /** Body of the 200 with which it takes a message for delivered; null: 204. */
  readonly accepted: string | null;
};

/** What is known of a payment before its processor is chosen. A brand is known of a number, not of another's token. */
export type ToRoute = { readonly currency: string; readonly brand: CardBrand | null };

type Environment = { readonly id: string; readonly mode: Mode };

/** Which processor has which payment. */
export type Registry = {
  /** For payments without a connection: the sandbox in test mode; in live mode there is none but in tests. */
  builtIn(mode: Mode): Processor | null;
  /** For a new payment, by the rules of now; null while none is connected (`processor_not_configured`). */
  choose(environment: Environment, payment: ToRoute): Promise<Connected | null>;
  /** The one that an existing payment is at, whatever the rules say now; null while that one is not connected. */
  find(environment: Environment, connectionId: string | null): Promise<Connected | null>;
  /** Whether payments of the environment may be elsewhere than at the built-in processor: then each says where. */
  hasOthers(environment: Environment): boolean | Promise<boolean>;
  /** Who reports under a name, or under the id of a connection; null for any other. */
  reporter(name: string): Promise<Reporter | null>;
  /** To be called after a change through this process: it counts at once. */
  changed(): void;
  /** What merchants can connect, and the operator has set; null where nothing can be. */
  readonly connecting: Connecting | null;
};

export type Connecting = {
  /** The operator's processor, for live payments of merchants without a connection; null = none. */
  readonly operator: string | null;
  /** Path that the operator's processor sends webhooks to; null without one. Throws `processor_error` while its account is not known. */
  operatorAddress(): Promise<string | null>;
  /** Whether a connection of that mode may be given card numbers at all. */
  mayTakeCards(mode: Mode): boolean;
  /** A processor to check, before or beside what payments use. `credentials`: their JSON. */
  open(
    connection: { id: string; processor: string; raw_cards: boolean; metadata_keys: string[] },
    credentials: string,
    mode: Mode,
  ): Processor;
};

export type BuiltIn = { sandbox: Processor; live?: Processor | null };

/** Processors that are there from the start, and no others. */
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
