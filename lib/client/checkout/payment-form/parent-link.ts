import {
  type CheckoutErrorCode,
  type CheckoutResult,
  type FrameMessage,
  type ParentMessage,
  readParentMessage,
  wrap,
} from "@/lib/contract/checkout/messages";
import type { CheckoutView, ClosedReason, FormFields, NoticeKey } from "./checkout-view";
import { textsOf } from "./texts";

/** Link to the page that embeds the form. */
export type ParentLink = {
  /** Queued until the page has responded to `hello`. */
  send(message: FrameMessage): void;
  /** Sends `hello` and passes on the page's messages. Returns a stop function. */
  open(onMessage: (message: ParentMessage) => void): () => void;
  /** Reports this element's height to the page on every change. Returns a stop function. */
  watchHeight(element: Element): () => void;
};

/** The parts of the browser that this needs. */
type FrameWindow = Pick<Window, "parent" | "addEventListener" | "removeEventListener" | "setTimeout">;

/**
 * Communicates with the embedding window, at the exact origin that the server wrote into the page. Messages
 * from any other window or origin, or in any other format, are ignored.
 */
export function createParentLink(origin: string, frame: FrameWindow = window): ParentLink {
  const waiting: FrameMessage[] = [];
  let watched: Element | null = null;
  let sentHeight: number | null = null;
  let isInitialized = false;
  let ready = false;

  const post = (message: FrameMessage) => frame.parent.postMessage(wrap(message), origin);

  const sendHeight = () => {
    if (!watched || !ready) return;
    const height = Math.ceil(watched.getBoundingClientRect().height);
    if (height === sentHeight) return;
    sentHeight = height;
    post({ type: "resize", height });
  };

  const becomeReady = () => {
    ready = true;
    sendHeight();
    post({ type: "ready" });
    for (const message of waiting.splice(0)) post(message);
  };

  return {
    send(message) {
      if (ready) post(message);
      else waiting.push(message);
    },

    open(onMessage) {
      const listen = (event: MessageEvent) => {
        if (event.source !== frame.parent || event.origin !== origin) return;
        const message = readParentMessage(event.data);
        if (!message) return;
        onMessage(message);
        if (message.type !== "init" || isInitialized) return;
        isInitialized = true;
        // Runs after the changes of `init` are rendered. Not an animation frame, which off-screen frames
        // never get.
        frame.setTimeout(becomeReady, 0);
      };
      frame.addEventListener("message", listen);
      post({ type: "hello" });
      return () => frame.removeEventListener("message", listen);
    },

    watchHeight(element) {
      watched = element;
      const observer = new ResizeObserver(sendHeight);
      observer.observe(element);
      sendHeight();
      return () => observer.disconnect();
    },
  };
}

/** Events for the embedding page, each sent once. */
export class ParentReports {
  readonly #parent: ParentLink | null;
  readonly #emptyFields: FormFields;
  #sent = { complete: false, empty: true, processing: false };
  #challenge: string | null = null;
  #ended = false;

  /** `first` is the view before any input. */
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
    const { complete, empty, processing } = this.#sent;
    if (now.complete === complete && now.empty === empty && now.processing === processing) return;
    this.#sent = now;
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
