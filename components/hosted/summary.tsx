/** @jsxImportSource preact */
import type { CheckoutView } from "@/lib/client/hosted/checkout-view";
import { moneyText } from "@/lib/client/hosted/money-text";
import { textsOf } from "@/lib/client/hosted/texts";

/** Signs; an amount with more of them would not fit in a line at its full size. */
const LONG_TOTAL = 13;

/** Who is paid, for what, and how much. Beside the form on a page of its own, above it inside a shop's page. */
export function Summary({ view, embedded }: { view: CheckoutView; embedded: boolean }) {
  const { page, locale } = view;
  const texts = textsOf(locale);
  const total = moneyText(page.amount, page.currency, locale);
  // A page has one banner, and a shop's page has its own.
  const Box = embedded ? "div" : "header";
  return (
    <Box class="summary">
      <div class="shop">
        {!embedded && (
          <span class="monogram" aria-hidden="true">
            {initialOf(page.merchant_name)}
          </span>
        )}
        <div>
          <h1 class="merchant">{page.merchant_name}</h1>
          {embedded && page.plan_name && <p class="soft">{page.plan_name}</p>}
        </div>
      </div>
      <p class={total.length > LONG_TOTAL ? "total long" : "total"}>
        <span class="soft">{texts.total} </span>
        <span class="figures">{total}</span>
      </p>
      {!embedded && page.plan_name && <p class="plan soft">{page.plan_name}</p>}
    </Box>
  );
}

/** The first letter or digit as a person sees it: a name may begin with a sign of two code units. */
function initialOf(name: string): string {
  return (/[\p{L}\p{N}]/u.exec(name)?.[0] ?? "").toLocaleUpperCase();
}
