/** The dashboard's list and page of disputes. */
import { z } from "zod";
import { pageParams, text } from "@/lib/contract/fields";
import { anyOfRow, type FilterRows, oneOfRow } from "@/lib/contract/lists/filters";
import type { PaymentStatus } from "@/lib/contract/payments/payment";
import type { ShownActor } from "@/lib/contract/payments/payment-detail";
import { DISPUTE_REASON_WORDS, DISPUTE_STATUS_WORDS } from "@/lib/contract/payments/words";
import type { CardBrand } from "@/lib/contract/transactions/words";
import type { Dispute } from "./dispute";
import type { File } from "./file";
import { DISPUTE_REASONS, DISPUTE_STATUSES, type DisputeReason } from "./statuses";

/** Deadlines to filter by, of disputes that need a response. */
const DISPUTE_DEADLINES = ["2-days", "7-days", "ahead", "passed"] as const;
export type DisputeDeadline = (typeof DISPUTE_DEADLINES)[number];
const DEADLINE_WORDS: Record<DisputeDeadline, string> = {
  "2-days": "Within 2 days",
  "7-days": "Within 7 days",
  ahead: "Not passed",
  passed: "Passed",
};

/** Any of the words, with commas between them. */
const anyOf = <Word extends string>(words: readonly [Word, ...Word[]]) =>
  z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(z.enum(words)))
    .optional();

/** The page's address. */
export const disputePageQuery = z.strictObject({
  limit: pageParams.limit,
  offset: pageParams.offset,
  status: anyOf(DISPUTE_STATUSES),
  reason: anyOf(DISPUTE_REASONS),
  deadline: z.enum(DISPUTE_DEADLINES).optional(),
  /** The merchant's own id of the customer, or their e-mail address. */
  customer: text(255).optional(),
});
export type DisputePageQuery = z.infer<typeof disputePageQuery>;

const STATUS_LABELS = Object.fromEntries(DISPUTE_STATUSES.map((each) => [each, DISPUTE_STATUS_WORDS[each].title]));

export const DISPUTE_FILTERS: FilterRows = [
  anyOfRow("status", "Status", DISPUTE_STATUSES, STATUS_LABELS),
  anyOfRow("reason", "Reason", DISPUTE_REASONS, DISPUTE_REASON_WORDS),
  oneOfRow("deadline", "Deadline", DISPUTE_DEADLINES, DEADLINE_WORDS),
  ["customer", { kind: "text", max: 255, param: "customer", label: "Customer id or e-mail", form: "Customer" }],
];

/** The cardholder's claim in a sentence. */
export const DISPUTE_CLAIMS: Record<DisputeReason, string> = {
  FRAUDULENT: "The cardholder says that they didn’t make or allow this payment.",
  NOT_RECEIVED: "The cardholder says that what they bought never arrived.",
  NOT_AS_DESCRIBED: "The cardholder says that what they got was faulty or not what you had described.",
  DUPLICATE: "The cardholder says that they were charged twice for one purchase.",
  CANCELLED: "The cardholder says that they had cancelled before you charged them.",
  CREDIT_NOT_PROCESSED: "The cardholder says that you owe them a refund that hasn’t arrived.",
  OTHER: "The bank gives no reason that we can put into words.",
};

/** A row of the list: the dispute and the best known name of its customer. */
export type ListedDispute = { dispute: Dispute; customer: string | null };

/** A step of a dispute, from its events. */
export type DisputeStep = {
  id: string;
  /** `saved`: the merchant changed its evidence. */
  kind: "opened" | "updated" | "due_soon" | "saved" | "submitted" | "won" | "lost" | "accepted";
  at: string;
  actor: ShownActor;
};

export type EvidenceFile = Pick<File, "id" | "name" | "type" | "size">;

/** A dispute for its page. Ids are public ones. */
export type DisputeDetail = {
  dispute: Dispute;
  /** Its status and where its money is, in a sentence. */
  meaning: string;
  /** At the sandbox, which decides by the evidence's notes and the test clock. */
  simulated: boolean;
  /** The files of its evidence. */
  files: EvidenceFile[];
  payment: {
    status: PaymentStatus;
    amount: number;
    amount_refunded: number;
    currency: string;
    card: { brand: CardBrand | null; last4: string | null } | null;
    created_at: string;
  };
  customer: { id: string | null; customer_id: string | null; name: string | null; email: string | null };
  /** Oldest first. */
  timeline: DisputeStep[];
};
