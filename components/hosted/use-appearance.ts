import { useLayoutEffect, useRef } from "preact/hooks";
import type { CheckoutView } from "@/lib/client/hosted/checkout-view";
import { applyAppearance } from "./appearance-style";

/** Paints the page anew when its shop changes the look, and when the system turns dark or light. */
export function useAppearance({ appearance, page }: CheckoutView): void {
  const paintedRef = useRef(page.appearance);
  useLayoutEffect(() => {
    const root = document.documentElement;
    const system = matchMedia("(prefers-color-scheme: dark)");
    const paint = () => applyAppearance(appearance, root, system.matches);
    // The server's own style sheet follows the system by itself.
    if (paintedRef.current !== appearance) paint();
    paintedRef.current = appearance;
    const repaint = () => {
      if (root.style.length > 0) paint();
    };
    system.addEventListener("change", repaint);
    return () => system.removeEventListener("change", repaint);
  }, [appearance]);
}
