/** Limits and labels of evidence; kept apart from the schema, so that browsers don't load zod. */
import type { Mode } from "@/lib/contract/transactions/words";

/** Max characters of each text. Longer documents are attached as files. */
export const EVIDENCE_TEXTS = {
  product_description: 10_000,
  customer_communication: 10_000,
  shipping_carrier: 100,
  shipping_tracking: 200,
  refund_policy: 10_000,
  notes: 9_500,
} as const;
export type EvidenceText = keyof typeof EVIDENCE_TEXTS;

export const MAX_EVIDENCE_FILES = 8;

export const MAX_FILE_BYTES = 5 * 1024 * 1024;
export const MAX_FILE_NAME = 255;
/** Days that the files of a dispute are kept after it ended. */
export const FILES_KEPT_DAYS: Record<Mode, number> = { test: 7, live: 180 };
export const FILE_TYPES = ["application/pdf", "image/png", "image/jpeg"] as const;
export type FileType = (typeof FILE_TYPES)[number];

export const DISPUTE_ACTIONS = ["update", "submit", "accept"] as const;

/** Responses to the bank, as they are stored. Each is sent once and final. */
export const DISPUTE_RESPONSES = ["submit", "accept"] as const;
export type DisputeResponse = (typeof DISPUTE_RESPONSES)[number];
