import { Check, Clock, Hourglass, LoaderCircle } from "lucide-react";
import { Badge } from "@/components/ui/badge";
import type { KeyState } from "@/lib/contract/dashboard/idempotency-key";

const LOOKS = {
  running: { tone: "amber", label: "Running", icon: LoaderCircle },
  waiting: { tone: "amber", label: "Waiting for the processor", icon: Hourglass },
  done: { tone: "green", label: "Answered", icon: Check },
  expired: { tone: "neutral", label: "Expired", icon: Clock },
} as const;

/** What a key is at this moment, in words, colour and icon. */
export function KeyStateBadge({ state }: { state: KeyState }) {
  const { tone, label, icon: Icon } = LOOKS[state];
  return (
    <Badge tone={tone} icon={<Icon aria-hidden="true" />}>
      {label}
    </Badge>
  );
}
