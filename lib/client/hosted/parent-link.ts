import { type FrameMessage, type ParentMessage, readParentMessage, wrap } from "@/lib/contract/checkout-messages";

/** The page that embeds the form. */
export type ParentLink = {
  /** Held back until the page has answered `hello`. */
  send(message: FrameMessage): void;
  /** Says `hello` and hands on what the page says; returns what ends it. */
  open(onMessage: (message: ParentMessage) => void): () => void;
  /** Tells the page how high this element is, whenever that changes; returns what ends it. */
  watchHeight(element: Element): () => void;
};

/** What is needed of the browser. */
type FrameWindow = Pick<Window, "parent" | "addEventListener" | "removeEventListener" | "setTimeout">;

/**
 * Talks to the window that embeds this one, at the exact origin that the server wrote into the page. A message of any
 * other window or origin, or in any other form, is as if it had not been sent.
 */
export function createParentLink(origin: string, frame: FrameWindow = window): ParentLink {
  const waiting: FrameMessage[] = [];
  let watched: Element | null = null;
  let toldHeight: number | null = null;
  let answered = false;
  let ready = false;

  const post = (message: FrameMessage) => frame.parent.postMessage(wrap(message), origin);

  const tellHeight = () => {
    if (!watched || !ready) return;
    const height = Math.ceil(watched.getBoundingClientRect().height);
    if (height === toldHeight) return;
    toldHeight = height;
    post({ type: "resize", height });
  };

  const becomeReady = () => {
    ready = true;
    tellHeight();
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
        if (message.type !== "init" || answered) return;
        answered = true;
        // After what `init` changed is on the page. No animation frame: a frame that is out of sight gets none.
        frame.setTimeout(becomeReady, 0);
      };
      frame.addEventListener("message", listen);
      post({ type: "hello" });
      return () => frame.removeEventListener("message", listen);
    },

    watchHeight(element) {
      watched = element;
      const observer = new ResizeObserver(tellHeight);
      observer.observe(element);
      tellHeight();
      return () => observer.disconnect();
    },
  };
}
