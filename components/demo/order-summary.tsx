import Link from "next/link";
import { moneyText, moneyTextWithCode } from "@/lib/client/money-text";
import { type Order, totalOf } from "./order";
import { PrintArt } from "./print-art";
import { PRINTS } from "./prints";

export function OrderSummary({ order }: { order: Order }) {
  const print = PRINTS[order.print];
  const total = totalOf(order);
  return (
    <section aria-labelledby="summary" className="border bg-raised">
      <h2 id="summary" className="shop-label px-5 pt-4 max-lg:sr-only">
        Your order
      </h2>
      <div className="flex items-center gap-4 px-5 py-4 max-lg:px-4 max-lg:py-3">
        <PrintArt print={order.print} className="h-20 w-15 shrink-0 max-lg:h-16 max-lg:w-12" />
        <div className="min-w-0 flex-1">
          <p className="font-semibold">{print.title}</p>
          <p className="text-[13px] text-soft">
            {order.quantity} × {moneyText(print.prices[order.currency], order.currency)}
          </p>
          <Link
            href={`/demo?print=${order.print}&currency=${order.currency}`}
            prefetch={false}
            className="text-[13px] text-accent underline underline-offset-2"
          >
            Change
          </Link>
        </div>
      </div>
      <dl className="divide-y border-t text-[13px]">
        <Row label="Shipping" value="Free" className="max-lg:hidden" />
        <Row
          label={order.capture === "manual" ? "Reserved today" : "Total"}
          value={moneyTextWithCode(total, order.currency)}
          strong
        />
      </dl>
      {order.capture === "manual" && (
        <p className="border-t px-5 py-3 text-[13px] text-soft">
          The amount is held on the card now and charged when the print is shipped.
        </p>
      )}
    </section>
  );
}

type RowProps = { label: string; value: string; strong?: boolean; className?: string };

function Row({ label, value, strong = false, className = "" }: RowProps) {
  const look = strong ? "font-semibold text-[15px]" : "text-soft";
  return (
    <div className={`flex justify-between gap-4 px-5 py-2.5 max-lg:px-4 ${look} ${className}`}>
      <dt>{label}</dt>
      <dd className="tabular-nums">{value}</dd>
    </div>
  );
}
