import { useLayoutEffect, useRef } from "preact/hooks";
import type { CheckoutView, FieldName } from "@/lib/client/hosted/checkout-view";

/**
 * Takes the focus along when the step changes: to the heading of a new one, or back to the field that is to be mended.
 * Nothing moves when the page loads, nor while the shopper is elsewhere in the shop's page and the form changes by itself.
 */
export function usePhaseFocus(view: CheckoutView, embedded: boolean): void {
  const phaseRef = useRef(view.phase);
  useLayoutEffect(() => {
    const from = phaseRef.current;
    if (from === view.phase) return;
    phaseRef.current = view.phase;
    // The shopper has the focus where it is until the answer is here.
    if (view.phase === "submitting" || view.phase === "checking") return;
    if (embedded && from === "form" && !document.hasFocus()) return;
    if (view.phase !== "form") return document.getElementById("step")?.focus();
    if (!focusFirstProblem(view)) document.getElementById(fieldToMend(view))?.focus();
  });
}

/** Where the shopper goes on after a decline: with another card's number, unless one field alone was wrong. */
function fieldToMend({ notice }: CheckoutView): FieldName {
  if (notice === "incorrect_cvv") return "cvv";
  return notice === "expired_card" ? "expiry" : "number";
}

/** Whether there was one. */
export function focusFirstProblem({ shown, errors, phase }: CheckoutView): boolean {
  const first = phase === "form" && shown.find((name) => errors[name]);
  if (first) document.getElementById(first)?.focus();
  return Boolean(first);
}
