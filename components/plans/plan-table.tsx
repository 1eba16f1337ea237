import Link from "next/link";
import { StatusBadge } from "@/components/ui/badge";
import { ColumnHeads } from "@/components/ui/page-links";
import { Time } from "@/components/ui/time";
import { moneyTextWithCode } from "@/lib/contract/format";
import type { Plan } from "@/lib/contract/plans/plan";
import { PLAN_TYPE_LABELS, priceText, termsOf } from "@/lib/contract/plans/schedule";

const COLUMNS = [
  ["Name", "w-1/4 pr-4"],
  ["Price", "pr-4"],
  ["Type", "w-52 pr-4 max-md:hidden"],
  ["Status", "w-28 pr-4"],
  ["Created", "w-32 max-lg:hidden"],
] as const;

/** A page of plans; on narrow screens the name's cell holds the rest. */
export function PlanTable({ plans, path }: { plans: readonly Plan[]; path: string }) {
  return (
    <table className="w-full border-t text-left text-[13px] sm:table-fixed">
      <caption className="sr-only">Plans, newest first</caption>
      <ColumnHeads columns={COLUMNS} className="max-sm:sr-only" />
      <tbody>
        {plans.map((plan) => (
          <PlanRow key={plan.id} plan={plan} path={path} />
        ))}
      </tbody>
    </table>
  );
}

function PlanRow({ plan, path }: { plan: Plan; path: string }) {
  const price = priceText(termsOf(plan), plan.currency, moneyTextWithCode);
  return (
    <tr className="relative h-10 border-b hover:bg-raised">
      <td className="py-2 pr-4 align-middle">
        <Link
          href={`${path}/${plan.id}`}
          className="block font-medium [overflow-wrap:anywhere] after:absolute after:inset-0 sm:truncate"
          title={plan.name}
        >
          {plan.name}
        </Link>
        <span className="mt-0.5 block text-soft sm:hidden">{price}</span>
      </td>
      <td className="py-2 pr-4 align-middle tabular-nums max-sm:hidden">{price}</td>
      <td className="py-2 pr-4 align-middle text-soft max-md:hidden">{PLAN_TYPE_LABELS[plan.type]}</td>
      <td className="py-2 pr-4 align-middle max-sm:w-28 max-sm:pr-0 max-sm:text-right">
        <StatusBadge status={plan.status} />
      </td>
      <td className="relative py-2 align-middle text-soft max-lg:hidden">
        <Time at={plan.created_at} style="date" />
      </td>
    </tr>
  );
}
