import { useLayoutEffect, useState } from "preact/hooks";
import type { CheckoutStore, CheckoutView } from "@/lib/client/hosted/checkout-store";

/** The store's newest view; the component is drawn again with every change. */
export function useCheckout(store: CheckoutStore): CheckoutView {
  const [view, setView] = useState(() => store.view());
  useLayoutEffect(() => {
    const take = () => setView(store.view());
    take();
    return store.subscribe(take);
  }, [store]);
  return view;
}
