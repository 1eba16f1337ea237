import type { Appearance } from "@/lib/contract/checkout/appearance";
import type { CheckoutPage } from "@/lib/contract/checkout/checkout";
import type { FrameOptions, ParentMessage } from "@/lib/contract/checkout/messages";
import { CheckoutDriver, ViewHolder } from "./checkout-driver";
import type { CheckoutServer } from "./checkout-server";
import type { CheckoutView, FieldName } from "./checkout-view";
import { allProblems, attemptBody, editField, leaveField } from "./form-fields";
import { type ParentLink, ParentReports } from "./parent-link";
import { mintAttempt } from "./run-attempt";
import { browserSurroundings, type Surroundings } from "./watch-session";

export type CheckoutStore = {
  view(): CheckoutView;
  /** Called after every change of the view. Returns an unsubscribe function. */
  subscribe(listener: () => void): () => void;
  /**
   * Takes the input's value and caret, and returns what to display. `direction` is the key's direction of
   * deletion, for a deleted gap (`inputType` is `deleteContentForward`).
   */
  change(
    field: FieldName,
    value: string,
    caret?: number,
    direction?: "backward" | "forward",
  ): { value: string; caret: number };
  blur(field: FieldName): void;
  /** Resolves once the attempt needs nothing more from the form; ignored during another one. */
  submit(): Promise<void>;
  /** Starts timers, polling and the link to the parent page, in the browser only. Returns a stop function. */
  start(): () => void;
};

type CheckoutStoreOptions = {
  page: CheckoutPage;
  server: CheckoutServer;
  parent: ParentLink | null;
  /** Sends nothing and freezes the countdown. */
  preview: boolean;
  surroundings?: Surroundings;
};

/** The payment form's logic: input, attempts and session state. */
export function createCheckoutStore(options: CheckoutStoreOptions): CheckoutStore {
  const { page, server, parent, preview, surroundings = browserSurroundings } = options;
  const holder = new ViewHolder(page);
  const reports = new ParentReports(parent, holder.view);
  holder.subscribe((view) => reports.view(view));
  const driver = new CheckoutDriver({ holder, reports, server, surroundings, preview });
  let tried = false;

  /** The page is notified of missing fields only if it called submit itself. */
  const submit = async (by: "shopper" | "page") => {
    if (preview || holder.view.phase !== "form" || driver.expireIfDue()) return;
    tried = true;
    const errors = allProblems(holder.view, holder.now());
    holder.set({ errors });
    if (Object.keys(errors).length === 0) return driver.attempt(attemptBody(holder.view, mintAttempt(), holder.now()));
    if (by === "page") reports.failed(holder.view, "invalid_card_data", "invalid_card_data");
  };

  const obey = (message: ParentMessage) => {
    if (message.type === "submit") void submit("page");
    else holder.set(withFrameOptions(holder.view, message));
  };

  return {
    view: () => holder.view,
    subscribe: (listener) => holder.subscribe(() => listener()),

    change(field, value, caret = value.length, direction = "backward") {
      const before = holder.view.fields[field];
      if (holder.view.phase !== "form") return { value: before, caret: before.length };
      const { shownAs, ...fields } = editField(holder.view, field, { value, before, caret, direction }, holder.now());
      holder.set(fields);
      return shownAs;
    },

    blur(field) {
      if (holder.view.phase === "form") holder.set(leaveField(holder.view, field, tried, holder.now()));
    },

    submit: () => submit("shopper"),

    start() {
      const close = parent?.open(obey);
      const stop = driver.start();
      return () => {
        stop();
        close?.();
      };
    },
  };
}

/** Changes requested by the embedding page. Its appearance overrides the session's, member by member. */
function withFrameOptions(view: CheckoutView, options: FrameOptions): Partial<CheckoutView> {
  return {
    ...(options.appearance && { appearance: merged(view.page.appearance, options.appearance) }),
    ...(options.locale && { locale: options.locale }),
    ...(options.button !== undefined && { button: options.button }),
  };
}

function merged(base: Appearance | null, over: Appearance): Appearance {
  const given = Object.entries(over).filter(([, value]) => value !== undefined);
  return { ...base, ...Object.fromEntries(given) };
}
