import Link from "next/link";
import { StatusBadge } from "@/components/ui/badge";
import { Time } from "@/components/ui/time";
import type { Plan } from "@/lib/contract/plans/plan";
import { PLAN_TYPE_LABELS, priceText, termsOf } from "@/lib/contract/plans/schedule";

/** A page of plans; on narrow screens the name's cell holds the rest. */
export function PlanTable({ plans, path }: { plans: readonly Plan[]; path: string }) {
  return (
    <table className="w-full border-t text-left text-[13px] sm:table-fixed">
      <caption className="sr-only">Plans, newest first</caption>
      <thead className="max-sm:sr-only">
        <tr className="h-8 border-b text-soft text-xs">
          <th scope="col" className="w-1/4 pr-4 font-medium">
            Name
          </th>
          <th scope="col" className="pr-4 font-medium">
            Price
          </th>
          <th scope="col" className="w-52 pr-4 font-medium max-md:hidden">
            Type
          </th>
          <th scope="col" className="w-28 pr-4 font-medium">
            Status
          </th>
          <th scope="col" className="w-32 font-medium max-lg:hidden">
            Created
          </th>
        </tr>
      </thead>
      <tbody>
        {plans.map((plan) => (
          <PlanRow key={plan.id} plan={plan} path={path} />
        ))}
      </tbody>
    </table>
  );
}

function PlanRow({ plan, path }: { plan: Plan; path: string }) {
  const price = priceText(termsOf(plan), plan.currency);
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
        <span className="mt-0.5 block text-soft sm:hidden">
          {price} <Code plan={plan} price={price} />
        </span>
      </td>
      <td className="py-2 pr-4 align-middle tabular-nums max-sm:hidden">
        {price} <Code plan={plan} price={price} />
      </td>
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

/** Whose dollars they are. */
function Code({ plan, price }: { plan: Plan; price: string }) {
  return price.includes(plan.currency) ? null : <span className="font-mono text-soft text-xs">{plan.currency}</span>;
}
