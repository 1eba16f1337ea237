import { Facts } from "@/components/ui/facts";
import { Time } from "@/components/ui/time";
import type { Plan } from "@/lib/contract/plan";

export function PlanFacts({ plan }: { plan: Plan }) {
  return (
    <Facts
      items={[
        { term: "Created", value: <Time at={plan.created_at} /> },
        { term: "Last changed", value: <Time at={plan.updated_at} /> },
      ]}
    />
  );
}
