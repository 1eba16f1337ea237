import Link from "next/link";
import type { ReactNode } from "react";
import { Money } from "@/components/ui/card";
import { weekdayText } from "@/lib/contract/format";
import type { Mode } from "@/lib/contract/transactions/words";

type NextPayoutLine = { currency: string; amount: number } & (
  | { state: "created"; arrival_date: string; payout_ids: readonly string[] }
  | { state: "expected"; arrival_date: string }
  | { state: "returned" }
  | { state: "none" }
);

type NextPayoutsProps = {
  payouts: readonly NextPayoutLine[];
  mode: Mode;
  /** Display names of the processors that pay out in place of Cardlane. */
  processors: readonly string[];
};

/** One line for each currency: how much reaches the bank next, and when. */
export function NextPayouts({ payouts, mode, processors }: NextPayoutsProps) {
  if (mode === "live") return <PaidByProcessors processors={processors} />;
  if (payouts.length === 0) return null;
  return (
    <NextPayout>
      <ul className="rounded-lg border">
        {payouts.map((payout) => (
          <li
            key={payout.currency}
            className="flex flex-wrap items-baseline gap-x-6 gap-y-0.5 px-4 py-3 text-[13px] not-last:border-b"
          >
            <span className="min-w-40 font-semibold text-base">
              <Money amount={payout.amount} currency={payout.currency} />
            </span>
            <span className="min-w-44 font-medium">{arrivalOf(payout)}</span>
            <span className="text-soft max-sm:basis-full">
              <Explanation payout={payout} mode={mode} />
            </span>
          </li>
        ))}
      </ul>
    </NextPayout>
  );
}

function NextPayout({ children }: { children: ReactNode }) {
  return (
    <section aria-labelledby="next-payout" className="mb-6">
      <h2 id="next-payout" className="mb-2 font-semibold text-[15px]">
        Next payout
      </h2>
      {children}
    </section>
  );
}

const AND = new Intl.ListFormat("en", { type: "conjunction" });

/** Processors report neither the amount nor the day of a payout. */
function PaidByProcessors({ processors }: { processors: readonly string[] }) {
  if (processors.length === 0) return null;
  const isOne = processors.length === 1;
  return (
    <NextPayout>
      <p className="rounded-lg border px-4 py-3 text-[13px]">
        <span className="font-medium">
          {AND.format(processors)} {isOne ? "pays" : "pay"} out to your bank.
        </span>{" "}
        <span className="text-soft">
          The next amount and its day are in your account there: {isOne ? "it doesn’t" : "they don’t"} report them to
          Cardlane.
        </span>
      </p>
    </NextPayout>
  );
}

function arrivalOf(payout: NextPayoutLine): string {
  switch (payout.state) {
    case "created":
    case "expected":
      return `Arrives ${weekdayText(payout.arrival_date)}`;
    case "returned":
      return "Returned by your bank";
    case "none":
      return "No payout planned";
    default:
      return payout satisfies never;
  }
}

function Explanation({ payout, mode }: { payout: NextPayoutLine; mode: Mode }) {
  switch (payout.state) {
    case "created": {
      const [id, ...others] = payout.payout_ids;
      const href = others.length === 0 ? `/${mode}/payouts/${id}` : `/${mode}/payouts?currency=${payout.currency}`;
      return (
        <Link href={href} className="text-accent hover:underline">
          {others.length === 0 ? "View payout" : `View ${payout.payout_ids.length} payouts`}
        </Link>
      );
    }
    case "expected":
      return "Estimate: today’s balance settles tonight.";
    case "returned":
      return (
        <>
          It goes out with the next payout, or when you{" "}
          <Link href={`/${mode}/payouts?status=FAILED`} className="text-accent hover:underline">
            retry the one that failed
          </Link>
          .
        </>
      );
    case "none":
      return payout.amount < 0
        ? "Refunds, fees and disputes exceed sales. The next payouts are reduced by the difference."
        : "Everything has been paid out.";
    default:
      return payout satisfies never;
  }
}

/** The fee, where a merchant looks at their money. */
export function FeeLine({ basisPoints }: { basisPoints: number }) {
  return (
    <p className="mb-2 text-[13px] text-soft">
      {basisPoints === 0
        ? "Cardlane takes no fee from this balance."
        : `Cardlane’s fee is ${basisPoints / 100}% of each captured amount. Refunds don’t return it.`}
    </p>
  );
}
