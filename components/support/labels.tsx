/** Texts and badges shared by support pages. */
import { Badge, StatusBadge, type Tone } from "@/components/ui/badge";
import { ROLE_LABELS, type UserRole } from "@/lib/contract/permissions";
import type { SupportOperation } from "@/lib/contract/support/payment-detail";
import type { Mode } from "@/lib/contract/transactions/words";

/** Statuses that only support sees: of operations, merchants, users and idempotency keys. */
const TONES: Readonly<Record<string, Tone>> = {
  open: "amber",
  running: "amber",
  action_required: "amber",
  succeeded: "green",
  active: "green",
  declined: "red",
  failed: "red",
  suspended: "red",
  locked: "red",
};

const words = (status: string) => status.charAt(0).toUpperCase() + status.slice(1).replaceAll("_", " ");

export function PlainStatus({ status }: { status: string }) {
  if (/^[A-Z_]+$/.test(status)) return <StatusBadge status={status} />;
  const http = /^\d{3}/.test(status);
  const tone = http ? (status < "300" ? "green" : "red") : (TONES[status] ?? "neutral");
  return <Badge tone={tone}>{http ? status : words(status)}</Badge>;
}

export function ModeBadge({ mode }: { mode: Mode }) {
  return <Badge tone={mode === "live" ? "green" : "neutral"}>{mode === "live" ? "Live" : "Test"}</Badge>;
}

export const OPERATION_WORDS: Record<SupportOperation["kind"], string> = {
  authorize: "Authorization",
  continue: "3-D Secure result",
  capture: "Capture",
  void: "Void",
  refund: "Refund",
};

export const ROLE_NAMES: Record<UserRole, string> = {
  ...ROLE_LABELS,
  staff: "Cardlane",
};
