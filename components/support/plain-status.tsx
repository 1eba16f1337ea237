import { Badge, type Tone } from "@/components/ui/badge";
import { StatusBadge } from "@/components/ui/status-badge";

/** Statuses that only support sees: of operations, merchants, people and keys of idempotency. */
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
