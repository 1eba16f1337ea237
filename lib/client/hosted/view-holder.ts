import type { CheckoutPage } from "@/lib/contract/checkout";
import type { CheckoutView } from "./checkout-view";
import { fieldsView, firstFields, shownFields } from "./form-fields";

/** The one view, and who wants to know of its changes. */
export class ViewHolder {
  readonly #listeners = new Set<(view: CheckoutView) => void>();
  /** Milliseconds that the server's clock is ahead of the browser's. */
  readonly #aheadMs: number;
  #view: CheckoutView;

  constructor(page: CheckoutPage) {
    this.#aheadMs = Date.parse(page.now) - Date.now();
    const shown = shownFields(page);
    this.#view = {
      ...fieldsView(firstFields(page), {}, shown, this.now()),
      ...{ page, shown, state: page.state, phase: "form", notice: null, result: null, closed: null },
      ...{ locale: page.locale, appearance: page.appearance, button: true },
    };
  }

  get view(): CheckoutView {
    return this.#view;
  }

  /** Server's time, milliseconds since 1970. */
  now(): number {
    return Date.now() + this.#aheadMs;
  }

  set(changes: Partial<CheckoutView>): void {
    this.#view = { ...this.#view, ...changes };
    for (const listener of [...this.#listeners]) listener(this.#view);
  }

  subscribe(listener: (view: CheckoutView) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
