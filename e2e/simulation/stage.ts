import type { Service } from "@/lib/domain/context";
import type { CardName } from "../proof/client";
import type { Random } from "./random";
import type { Answer, Ask, Shop } from "./shop";

/** A payment that a client creates; its ids are set by the first response that contains them. */
export type MadePayment = {
  readonly key: string;
  readonly amount: number;
  readonly card: CardName;
  readonly manual: boolean;
  /** `pay_…` and the `txn_…` of its charge. */
  ids: { payment: string; charge: string } | null;
  /** True once no client tries to create it. */
  isGivenUp: boolean;
};

/** The load's parts that a story uses. */
export type Stage = {
  readonly shop: Shop;
  readonly random: Random;
  newPayment(name: string, card: CardName, manual: boolean): MadePayment;
  /** Starts the clients that create the payment. */
  make(made: MadePayment): void;
  /** Starts a client that captures, voids or refunds it once it is known. */
  act(made: MadePayment, what: "capture" | "void" | "refund", name: string, body: object): void;
  client(name: string, pauseMs: number, work: () => Promise<void>): void;
  persist(ask: Ask, tries: number): Promise<Answer | null>;
  setUp<T>(what: string, work: (service: Service) => Promise<T>): Promise<T>;
};
