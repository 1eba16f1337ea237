/** A comparison with a processor's own list, as the dashboard, support and `npm run reconcile` show it. */
export const RECONCILIATION_STATES = ["requested", "running", "done", "failed"] as const;
export type ReconciliationState = (typeof RECONCILIATION_STATES)[number];

/** Whether there is a result, or the reason why there is none. */
export const hasEnded = ({ state }: { readonly state: ReconciliationState }): boolean =>
  state === "done" || state === "failed";

/** How many days back a comparison may begin that is requested in the dashboard. */
export const DAYS_TO_COMPARE = [3, 7, 30, 90] as const;

export type DifferenceKind = "only_there" | "only_here" | "amounts_differ" | "states_differ";

export type Difference = {
  readonly kind: DifferenceKind;
  readonly object: "payment" | "refund";
  /** `pay_…`; null where Cardlane knows of none. */
  readonly payment_id: string | null;
  /** `txn_…`: the charge, or the refund. */
  readonly transaction_id: string | null;
  /** The processor's own object; null where it has none, or none was kept. */
  readonly processor_object: { readonly kind: string; readonly id: string } | null;
  /** Where to look at it in the processor's dashboard. */
  readonly url: string | null;
  /** How it stands in Cardlane and at the processor, in words; null where it does not exist. */
  readonly here: string | null;
  readonly there: string | null;
  /** When it was made, by whoever has it. */
  readonly at: string;
  /** What to do. */
  readonly advice: string;
};

export const DIFFERENCE_WORDS: Record<DifferenceKind, string> = {
  only_there: "Only at the processor",
  only_here: "Only in Cardlane",
  amounts_differ: "Amounts differ",
  states_differ: "States differ",
};

/** Kept of a comparison's differences; beyond that they are counted. */
export const MOST_KEPT = 1_000;

/** What a comparison found. */
export type Findings = {
  /** How many of ours were compared. */
  readonly payments: number;
  readonly refunds: number;
  /** Of ours, what was not compared because something is still happening to it. */
  readonly under_way: number;
  readonly difference_count: number;
  /** The first of them; of an older one that was requested those that no later comparison has looked at again. */
  readonly differences: readonly Difference[];
  /** What could not be checked, in sentences. */
  readonly unchecked: readonly string[];
};

export type ReconciliationSummary = Omit<Findings, "differences"> & {
  /** `rec_…`. */
  readonly id: string;
  readonly state: ReconciliationState;
  /** Who began it: the nightly job, somebody in the dashboard, or the operator with `npm run reconcile`. */
  readonly reason: "night" | "request" | "command";
  readonly since: string;
  readonly until: string;
  /** Why it failed, in a sentence. */
  readonly failure: string | null;
  readonly started_at: string;
  readonly finished_at: string | null;
};

/** A connection's comparisons, newest first, and the one that is looked at. */
export type ReconciliationView = {
  /** "Stripe (Main account)". */
  readonly label: string;
  /** `con_…`. */
  readonly connection_id: string;
  /** How many differences no later comparison has looked at again. */
  readonly standing: number;
  readonly runs: readonly ReconciliationSummary[];
  readonly shown: (ReconciliationSummary & { readonly differences: readonly Difference[] }) | null;
};

/** `comparable`: it is connected, and its processor can be asked for its list. */
export type OwnReconciliationView = ReconciliationView & { readonly comparable: boolean };

export const RUNS_SHOWN = 30;

/** A connection as support staff see it in the list of all; ids as the API has them. */
export type SupportConnection = {
  readonly id: string;
  readonly label: string;
  readonly mode: "test" | "live";
  /** Null for the operator's own. */
  readonly merchant: { readonly id: string; readonly name: string } | null;
  readonly last: {
    readonly state: ReconciliationState;
    readonly until: string;
    readonly difference_count: number;
    readonly unchecked: number;
  } | null;
};
