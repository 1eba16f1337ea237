import type { CheckoutErrorCode, CheckoutResult } from "@/lib/contract/checkout-messages";
import type { CheckoutView, ClosedReason, FormFields, NoticeKey } from "./checkout-view";
import type { ParentLink } from "./parent-link";
import { textsOf } from "./texts";

/** What the embedding page is told, each thing once. */
export class ParentReports {
  readonly #parent: ParentLink | null;
  readonly #emptyFields: FormFields;
  #told = { complete: false, empty: true, processing: false };
  #challenge: string | null = null;
  #ended = false;

  /** `first`: the view that nobody has typed into yet. */
  constructor(parent: ParentLink | null, first: CheckoutView) {
    this.#parent = parent;
    this.#emptyFields = first.fields;
  }

  view(view: CheckoutView): void {
    const { fields, phase } = view;
    const now = {
      complete: view.complete,
      empty: view.shown.every((field) => fields[field] === "" || fields[field] === this.#emptyFields[field]),
      processing: phase !== "form" && phase !== "done" && phase !== "closed",
    };
    const { complete, empty, processing } = this.#told;
    if (now.complete === complete && now.empty === empty && now.processing === processing) return;
    this.#told = now;
    this.#parent?.send({ type: "change", ...now });
  }

  challenge(url: string): void {
    if (this.#challenge === url) return;
    this.#challenge = url;
    this.#parent?.send({ type: "action_required", kind: "three_d_secure" });
  }

  failed(view: CheckoutView, code: CheckoutErrorCode, notice: NoticeKey): void {
    this.#error(view, code, textsOf(view.locale).notices[notice]);
  }

  done(result: CheckoutResult): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#parent?.send({ type: "success", ...result });
  }

  closed(view: CheckoutView, reason: ClosedReason): void {
    if (this.#ended) return;
    this.#ended = true;
    if (reason === "expired") this.#parent?.send({ type: "expired" });
    else this.#error(view, CODE_OF_CLOSED[reason], textsOf(view.locale).closed[reason].title);
  }

  #error(view: CheckoutView, code: CheckoutErrorCode, message: string): void {
    this.#parent?.send({ type: "error", code, message, attempts_left: view.state.attempts_left });
  }
}

const CODE_OF_CLOSED: Record<Exclude<ClosedReason, "expired">, CheckoutErrorCode> = {
  cancelled: "session_cancelled",
  attempts_exhausted: "attempts_exhausted",
  not_found: "session_not_found",
  returned: "session_cancelled",
};
