import Link from "next/link";
import type { ReactNode } from "react";
import { Select } from "@/components/ui/field";
import { moneyText, moneyTextWithCode } from "@/lib/contract/format";
import {
  DEMO_CURRENCIES,
  MONTHLY,
  type Order,
  PRINT_IDS,
  PRINTS,
  type PrintId,
  QUANTITIES,
  readOrder,
  totalOf,
  type Values,
} from "./order";

/** A print with links to the others. A plain form, so Buy works without JavaScript. */
export function Product({ values }: { values: Values }) {
  const { print, currency, quantity } = readOrder(values);
  const { title, place, about, prices } = PRINTS[print];
  return (
    <div className="grid gap-10 pt-8 sm:pt-12 lg:grid-cols-[minmax(0,6fr)_minmax(0,5fr)] lg:gap-16">
      <div className="flex flex-col items-center bg-[light-dark(#efe5d3,#241e18)] px-6 py-8 sm:py-12">
        <div className="shop-frame w-full max-w-52 sm:max-w-72">
          <PrintArt print={print} className="w-full" />
        </div>
        <Others current={print} currency={currency} />
      </div>
      <div className="lg:py-6">
        <p className="shop-label">{place}</p>
        <h1 className="shop-display mt-3 text-5xl sm:text-6xl">{title}</h1>
        <p className="mt-5 max-w-md text-base text-soft leading-relaxed">{about}</p>
        <p className="mt-6 font-semibold text-2xl tracking-tight">{moneyTextWithCode(prices[currency], currency)}</p>
        <form action="/demo/checkout" method="get" className="mt-5 space-y-5">
          <input type="hidden" name="print" value={print} />
          <div className="flex gap-3">
            <label className="w-28 text-[12px] text-soft" htmlFor="quantity">
              <span className="mb-1 block">Quantity</span>
              <Select id="quantity" name="quantity" defaultValue={quantity} className="h-10">
                {QUANTITIES.map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </Select>
            </label>
            <label className="min-w-40 text-[12px] text-soft" htmlFor="currency">
              <span className="mb-1 block">Pay in</span>
              <Select id="currency" name="currency" defaultValue={currency} className="h-10">
                {DEMO_CURRENCIES.map((one) => (
                  <option key={one} value={one}>
                    {one} · {moneyText(prices[one], one)}
                  </option>
                ))}
              </Select>
            </label>
          </div>
          <button type="submit" className="shop-buy w-full sm:w-auto sm:min-w-56">
            Buy
          </button>
        </form>
        <section aria-labelledby="monthly" className="mt-8 border bg-raised px-5 py-4">
          <h2 id="monthly" className="font-semibold">
            {MONTHLY.plan}
          </h2>
          <p className="mt-1 text-[13px] text-soft">{MONTHLY.about}</p>
          <p className="mt-3 flex flex-wrap items-center justify-between gap-3 text-[13px]">
            <span>{monthlyTerms}</span>
            <Link
              href={`/demo/checkout?product=monthly&print=${print}`}
              prefetch={false}
              className="shop-buy shop-quiet"
            >
              Try it free
            </Link>
          </p>
        </section>
        <dl className="mt-10 divide-y border-y text-[13px]">
          <Fact label="Paper" value="Cotton, 310 g/m², cold pressed" />
          <Fact label="Size" value="30 × 40 cm, with a white margin" />
          <Fact label="Shipping" value="Free, in a tube, within three days" />
        </dl>
      </div>
    </div>
  );
}

const monthlyTerms = `${MONTHLY.trialDays} days free, then ${moneyText(MONTHLY.price, "USD")} every month`;

function Others({ current, currency }: { current: string; currency: string }) {
  return (
    <nav aria-label="Prints" className="mt-8 flex gap-4">
      {PRINT_IDS.map((id) => (
        <Link
          key={id}
          href={`/demo?print=${id}&currency=${currency}`}
          scroll={false}
          aria-current={id === current ? "page" : undefined}
          className="border-2 border-transparent p-0.5 hover:border-edge aria-[current]:border-accent"
        >
          <PrintArt print={id} className="h-18 w-13.5" />
          <span className="sr-only">{PRINTS[id].title}</span>
        </Link>
      ))}
    </nav>
  );
}

function Fact({ label, value }: { label: string; value: string }) {
  return (
    <div className="grid grid-cols-[6rem_1fr] py-2.5">
      <dt className="text-soft">{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}

export function OrderSummary({ order }: { order: Order }) {
  if (order.product === "monthly") return <MonthlySummary print={order.print} />;
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

function MonthlySummary({ print }: { print: PrintId }) {
  return (
    <section aria-labelledby="summary" className="border bg-raised">
      <h2 id="summary" className="shop-label px-5 pt-4 max-lg:sr-only">
        Your subscription
      </h2>
      <div className="flex items-center gap-4 px-5 py-4 max-lg:px-4 max-lg:py-3">
        <PrintArt print={print} className="h-20 w-15 shrink-0 max-lg:h-16 max-lg:w-12" />
        <div className="min-w-0 flex-1">
          <p className="font-semibold">{MONTHLY.plan}</p>
          <p className="text-[13px] text-soft">{monthlyTerms}</p>
          <Link
            href={`/demo?print=${print}`}
            prefetch={false}
            className="text-[13px] text-accent underline underline-offset-2"
          >
            Buy one print instead
          </Link>
        </div>
      </div>
      <dl className="divide-y border-t text-[13px]">
        <Row label="Shipping" value="Free" className="max-lg:hidden" />
        <Row label="Today" value={moneyTextWithCode(0, "USD")} strong />
      </dl>
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

/** The prints: paper, ink and three shapes. As pictures, they have the same colors in both schemes. */
const ART: Record<PrintId, ReactNode> = {
  tide: (
    <>
      <rect width="300" height="400" fill="#f3dfc1" />
      <circle cx="150" cy="168" r="74" fill="#e2603a" />
      <path d="M0 190c50-16 100-16 150 0s100 16 150 0v210H0z" fill="#f0a868" />
      <path d="M0 232c50-18 100-18 150 0s100 18 150 0v168H0z" fill="#d97f5e" />
      <path d="M0 276c50-18 100-18 150 0s100 18 150 0v124H0z" fill="#93576b" />
      <path d="M0 320c50-18 100-18 150 0s100 18 150 0v80H0z" fill="#4a4468" />
      <path d="M0 362c50-14 100-14 150 0s100 14 150 0v38H0z" fill="#26304f" />
    </>
  ),
  ridge: (
    <>
      <rect width="300" height="400" fill="#e9e4d4" />
      <circle cx="214" cy="92" r="34" fill="#f2b84b" />
      <path d="M0 210 46 158l32 30 52-84 44 70 30-34 52 66 44-40v224H0z" fill="#b9c6bd" />
      <path d="m0 262 58-56 40 42 60-80 54 74 42-38 46 44v152H0z" fill="#7d9c95" />
      <path d="m0 312 44-34 62 40 58-64 60 66 76-50v130H0z" fill="#44696b" />
      <path d="m0 352 70-30 66 34 74-40 90 36v48H0z" fill="#213f47" />
    </>
  ),
  harbour: (
    <>
      <rect width="300" height="400" fill="#cfe0dd" />
      <rect width="300" height="150" y="250" fill="#3d7f86" />
      <path
        d="M0 250h300v10H0zM34 286h84v5H34zM164 302h98v5h-98zM84 334h112v5H84zM20 366h70v5H20zM206 362h66v5h-66z"
        fill="#63a1a2"
      />
      <path d="M72 60v176M150 34v202M226 84v152" stroke="#2b2a33" strokeWidth="5" />
      <path d="M78 70v132h52z" fill="#fbf3e0" />
      <path d="M144 52v152H92z" fill="#e2603a" />
      <path d="M156 44v160h58z" fill="#f6d99a" />
      <path d="M232 94v112h46z" fill="#fbf3e0" />
      <path d="M28 222h92l-14 34H44zM104 218h96l-16 40h-62zM186 224h92l-14 32h-64z" fill="#2b2a33" />
      <path d="M28 222h92l-3 8H31zM104 218h96l-3 8h-90zM186 224h92l-3 8h-86z" fill="#b5391f" />
    </>
  ),
};

/** Aspect ratio 3:4. The text beside it describes it. */
export function PrintArt({ print, className }: { print: PrintId; className?: string }) {
  return (
    <svg viewBox="0 0 300 400" className={className} aria-hidden="true" preserveAspectRatio="xMidYMid slice">
      {ART[print]}
    </svg>
  );
}
