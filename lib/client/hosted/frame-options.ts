import type { Appearance } from "@/lib/contract/appearance";
import type { FrameOptions } from "@/lib/contract/checkout-messages";
import type { CheckoutView } from "./checkout-view";

/** What the embedding page changes of a view. Its appearance goes before the session's, member by member. */
export function withFrameOptions(view: CheckoutView, options: FrameOptions): Partial<CheckoutView> {
  return {
    ...(options.appearance && { appearance: merged(view.page.appearance, options.appearance) }),
    ...(options.locale && { locale: options.locale }),
    ...(options.button !== undefined && { button: options.button }),
  };
}

function merged(base: Appearance | null, over: Appearance): Appearance {
  const said = Object.entries(over).filter(([, value]) => value !== undefined);
  return { ...base, ...Object.fromEntries(said) };
}
