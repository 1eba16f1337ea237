import { Badge } from "@/components/ui/badge";
import type { Mode } from "@/lib/contract/transaction-words";

export function ModeBadge({ mode }: { mode: Mode }) {
  return <Badge tone={mode === "live" ? "green" : "neutral"}>{mode === "live" ? "Live" : "Test"}</Badge>;
}
