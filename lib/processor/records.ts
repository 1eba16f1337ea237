/** The processor's own records of payments, refunds and disputes. */
import type { EvidenceText, FileType } from "@/lib/contract/disputes/evidence";
import type { DisputeReason } from "@/lib/contract/disputes/statuses";

/** An object at the processor, by the processor's own id. */
export type ProcessorObject = { readonly kind: string; readonly id: string };

/** A chargeback, or an inquiry by the cardholder's bank. */
export type Dispute = {
  /** The processor's own id. */
  id: string;
  /** Minor units. */
  amount: number;
  currency: string;
  reason: DisputeReason;
  /** The card network's own code. */
  network_reason_code: string | null;
  /** Minor units of `currency`; null if the processor doesn't report it. */
  fee: number | null;
  /** It took the amount back, at least for a time. False for an inquiry, which takes nothing. */
  withdrawn: boolean;
  /** Evidence was submitted. Absent if the processor doesn't report it. */
  submitted?: boolean;
  status: "needs_response" | "under_review" | "won" | "lost" | "accepted";
  respond_by: Date | null;
  created_at: Date;
};

/** Evidence to send: what the merchant filled in, and its files in order. */
export type DisputeEvidence = {
  readonly texts: { readonly [Name in EvidenceText]?: string };
  readonly shippedAt: Date | null;
  readonly files: readonly {
    readonly id: string;
    readonly name: string;
    readonly type: FileType;
    /** In bytes. */
    readonly size: number;
    /** Reads its content, up to 5 MB. */
    read(): Promise<Buffer>;
  }[];
};

export type DisputeResponseRequest = {
  /** The environment's id, which is the account at the processor. */
  readonly account: string;
  /** The processor's own id of the dispute. */
  readonly dispute: string;
  /** Our id of this response, the same for every repeat. */
  readonly reference: string;
  /** The environment's time, by which a simulated processor acts; omitted if it is real time. */
  readonly now?: Date;
} & ({ readonly kind: "submit"; readonly evidence: DisputeEvidence } | { readonly kind: "accept" });

/** Only `refused` and `not_sent` prove that nothing happened; the dispute itself tells what did. */
export type DisputeResponseOutcome =
  | { readonly kind: "sent" }
  /** `refusal`: a sentence for the caller. */
  | { readonly kind: "refused"; readonly refusal: string }
  /** A repeat, after an attempt that failed but took effect if the dispute is now lost. */
  | { readonly kind: "refused_repeat"; readonly refusal: string }
  | { readonly kind: "not_sent" | "unknown"; readonly reason: string };

export type OutsideRefund = {
  /** The processor's own id. */
  readonly id: string;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  /** It failed, perhaps after it had succeeded. */
  readonly failed: boolean;
};

/**
 * Cardlane's own facts about an operation, stored by a processor with a list of its own: enough to write the
 * operation again if a restore of the database has lost it. Names have at most 20 characters, values 400; no
 * card data, and nothing that is secret.
 */
export type Trace = Readonly<Record<string, string>>;

/** A capture or void of a listed payment. */
type ListedStep = { readonly reference: string; readonly trace: Trace };

export type StatementRange = { readonly since: Date; readonly until: Date };

/** A payment or refund from the processor's own list. Amounts in minor units. */
export type StatementEntry = {
  /** The processor's own id, and our reference if it has one. */
  readonly object: ProcessorObject;
  readonly reference: string | null;
  readonly created_at: Date;
  readonly amount: number;
  readonly currency: string;
} & (
  | {
      readonly kind: "payment";
      readonly state: "pending" | "action_required" | "authorized" | "captured" | "voided" | "declined";
      readonly captured: number;
      readonly refunded: number;
      /**
       * The file's share of a payment that began before the file. `amount` is then the largest amount in it.
       */
      readonly part?: PaymentPart;
      /** Set if the payment has a reference of ours, and the processor stores more than that. */
      readonly origin?: PaymentOrigin;
    }
  | {
      readonly kind: "refund";
      readonly payment: string;
      readonly state: "pending" | "succeeded" | "failed";
      readonly trace?: Trace;
    }
);

export type PaymentOrigin = {
  /** The environment's id. */
  readonly account: string;
  /** Authorized without a capture. */
  readonly manual: boolean;
  readonly description: string | null;
  /** The merchant's metadata that the connection passes on. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly trace: Trace;
  readonly capture: ListedStep | null;
  readonly void: ListedStep | null;
};

export type PaymentPart = {
  /** Change of the captured amount; negative if a capture failed. */
  readonly captured: number;
  /** Amount paid out, or about to be, including earlier captures. */
  readonly settled: number;
  /** The rest of the hold was released. */
  readonly released: boolean;
};

export type StatementFile = { readonly name: string; readonly bytes: Uint8Array };

/** The payments and refunds in report files, and the period that they cover. */
export type FiledStatement = {
  /** Oldest first. */
  readonly entries: readonly StatementEntry[];
  /** From the first entry to just after the last. */
  readonly from: Date;
  readonly until: Date;
  /** True if everything that the processor made in this period is in the files. */
  readonly complete: boolean;
  /** Content that is not read, in sentences. */
  readonly unchecked: readonly string[];
};

/** The files are not a report of this account, or incomplete. The message names the line, and what to do. */
export class UnreadableStatementError extends Error {
  override readonly name = "UnreadableStatementError";
}
