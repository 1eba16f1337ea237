import { CheckCheck, CircleX, Clock, Handshake, type LucideIcon, TriangleAlert } from "lucide-react";
import { Badge, type Tone } from "@/components/ui/badge";
import type { DisputeStatus } from "@/lib/contract/disputes/statuses";
import { DISPUTE_STATUS_WORDS } from "@/lib/contract/payments/words";
import type { Mode } from "@/lib/contract/transactions/words";

const STATUSES: Record<DisputeStatus, { tone: Tone; icon: LucideIcon }> = {
  NEEDS_RESPONSE: { tone: "red", icon: TriangleAlert },
  UNDER_REVIEW: { tone: "amber", icon: Clock },
  WON: { tone: "green", icon: CheckCheck },
  LOST: { tone: "red", icon: CircleX },
  ACCEPTED: { tone: "neutral", icon: Handshake },
};

export const disputeTone = (status: DisputeStatus): Tone => STATUSES[status].tone;

export function DisputeBadge({ status }: { status: DisputeStatus }) {
  const { tone, icon: Icon } = STATUSES[status];
  return (
    <Badge tone={tone} icon={<Icon aria-hidden="true" />}>
      {DISPUTE_STATUS_WORDS[status].title}
    </Badge>
  );
}

/** Address of a dispute's page; the mode is null in support. */
export const disputePath = (mode: Mode | null, id: string): string => `/${mode ?? "support"}/disputes/${id}`;
