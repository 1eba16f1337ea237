import { CopyId } from "@/components/ui/copy-id";
import { PLAN_STATUS_SENTENCES } from "@/lib/client/plan-text";
import type { Plan } from "@/lib/contract/plan";

/** What the plan's status means, and its id. */
export function PlanDescription({ plan }: { plan: Plan }) {
  return (
    <>
      {PLAN_STATUS_SENTENCES[plan.status]}
      <CopyId id={plan.id} className="flex" />
    </>
  );
}
