/** A comparison with a processor's own list, for the dashboard, support and `npm run reconcile`. */
export const RECONCILIATION_STATES = ["requested", "running", "done", "failed"] as const;
export type ReconciliationState = (typeof RECONCILIATION_STATES)[number];

/** True if there is a result, or a reason why there is none. */
export const hasEnded = ({ state }: { readonly state: ReconciliationState }): boolean =>
  state === "done" || state === "failed";

/** Ranges, in days back, for a comparison requested in the dashboard. */
export const DAYS_TO_COMPARE = [3, 7, 30, 90] as const;

export type DifferenceKind = "only_there" | "only_here" | "amounts_differ" | "states_differ";

export type Difference = {
  readonly kind: DifferenceKind;
  readonly object: "payment" | "refund";
  /** `pay_…`; null if Cardlane has none. */
  readonly payment_id: string | null;
  /** `txn_…`: the charge or the refund. */
  readonly transaction_id: string | null;
  /** The processor's object; null if it has none, or none was kept. */
  readonly processor_object: { readonly kind: string; readonly id: string } | null;
  /** The object in the processor's dashboard. */
  readonly url: string | null;
  /** Status at Cardlane and at the processor, in plain words; null if it doesn't exist there. */
  readonly here: string | null;
  readonly there: string | null;
  /** Creation time, on the side that has it. */
  readonly at: string;
  /** Recommended action. */
  readonly advice: string;
};

export const DIFFERENCE_WORDS: Record<DifferenceKind, string> = {
  only_there: "Only at the processor",
  only_here: "Only in Cardlane",
  amounts_differ: "Amounts differ",
  states_differ: "States differ",
};

/** Max stored differences of a comparison; further ones are only counted. */
export const MAX_DIFFERENCES = 1_000;

/** Findings of a comparison. */
export type Findings = {
  /** Number of our payments compared. */
  readonly payments: number;
  readonly refunds: number;
  /** Number of ours that were skipped because an operation is in progress. */
  readonly under_way: number;
  readonly difference_count: number;
  /** The first differences; a requested older comparison lists those not covered by a later one. */
  readonly differences: readonly Difference[];
  /** Parts that couldn't be checked, in sentences. */
  readonly unchecked: readonly string[];
};

export type ReconciliationSummary = Omit<Findings, "differences"> & {
  /** `rec_…`. */
  readonly id: string;
  readonly state: ReconciliationState;
  /** Started by the nightly job, a user in the dashboard, or the operator with `npm run reconcile`. */
  readonly reason: "night" | "request" | "command";
  readonly since: string;
  readonly until: string;
  /** Reason of the failure, in a sentence. */
  readonly failure: string | null;
  readonly started_at: string;
  readonly finished_at: string | null;
};

/** A connection's comparisons, newest first, and the selected one. */
export type ReconciliationView = {
  /** "Stripe (Main account)". */
  readonly label: string;
  /** `con_…`. */
  readonly connection_id: string;
  /** Differences that no later comparison covers. */
  readonly standing: number;
  readonly runs: readonly ReconciliationSummary[];
  readonly shown: (ReconciliationSummary & { readonly differences: readonly Difference[] }) | null;
};

/** `comparable`: connected, and its processor can list its payments. */
export type OwnReconciliationView = ReconciliationView & { readonly comparable: boolean };

export const RUNS_SHOWN = 30;

/** A connection in support's list; ids as in the API. */
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
