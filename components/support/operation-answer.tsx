import { Badge, type Tone } from "@/components/ui/badge";
import type { ProcessorAnswer } from "@/lib/contract/support/payment-inside";

const LOOKS: Record<ProcessorAnswer["kind"], { tone: Tone; label: string }> = {
  approved: { tone: "green", label: "Approved" },
  declined: { tone: "red", label: "Declined" },
  action_required: { tone: "amber", label: "Action required" },
  pending: { tone: "amber", label: "Pending" },
  not_found: { tone: "amber", label: "Not found" },
  not_sent: { tone: "neutral", label: "Not sent" },
  unknown: { tone: "amber", label: "No clear answer" },
  none: { tone: "neutral", label: "No processor" },
};

/** What the processor itself says of an operation; null: only the newest are asked about. */
export function OperationAnswer({ answer }: { answer: ProcessorAnswer | null }) {
  if (answer === null) return <span className="text-soft">Not asked: it is one of the older ones.</span>;
  const { tone, label } = LOOKS[answer.kind];
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      <Badge tone={tone}>{label}</Badge>
      {answer.text && <span className="text-soft">{answer.text}</span>}
    </span>
  );
}
