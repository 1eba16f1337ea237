import Link from "next/link";
import { Select } from "@/components/ui/select";
import { moneyText, moneyTextWithCode } from "@/lib/client/money-text";
import { readOrder, type Values } from "./order";
import { PrintArt } from "./print-art";
import { DEMO_CURRENCIES, PRINT_IDS, PRINTS, QUANTITIES } from "./prints";

/** One print, with the others beside it. A plain form: Buy leads to the checkout page, also without JavaScript. */
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
        <dl className="mt-10 divide-y border-y text-[13px]">
          <Fact label="Paper" value="Cotton, 310 g/m², cold pressed" />
          <Fact label="Size" value="30 × 40 cm, with a white margin" />
          <Fact label="Shipping" value="Free, in a tube, within three days" />
        </dl>
      </div>
    </div>
  );
}

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
