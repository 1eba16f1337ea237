import { type FrameMessage, type ParentMessage, readFrameMessage, wrap } from "@/lib/contract/checkout/messages";
import type { Cardlane, CardlaneFrame, CardlaneMountOptions } from "@/public/sdk/v1";
import { createFrame, frameAddress, hasFrame, nameFrame, notifyPage, reveal } from "./frame";
import { contrastWarnings, frameOptions, languageOf, mountMistake, updateMistake } from "./options";
import { complain, findElement, mistake, originOf, pageMistake, refuse, UNKNOWN_ORIGIN, warn } from "./page-mistakes";

// Known while the script runs for the first time, and never again.
const origin = originOf(document.currentScript);

const api: Cardlane = { version: "1.0.0", mount: (element, options) => mount(origin, element, options) };

Object.assign(window, { Cardlane: Object.freeze(api) });

/** `Cardlane.mount`. `origin` is Cardlane's; null when it is not known. */
function mount(origin: string | null, target: unknown, options: CardlaneMountOptions): CardlaneFrame {
  if (origin === null) return refuse(null, UNKNOWN_ORIGIN);
  const wrong = pageMistake(self) ?? mountMistake(options);
  if (wrong) return refuse(origin, wrong);
  const element = findElement(target, document);
  if ("topic" in element) return refuse(origin, element);
  if (hasFrame(element)) return refuse(origin, MOUNTED_TWICE);
  for (const problem of contrastWarnings(options.appearance)) warn(origin, problem);
  return mountFrame(origin, element, options);
}

const MOUNTED_TWICE = mistake(
  "mount",
  "There is a payment form in this element already. Call unmount() of that one before you mount another.",
);
const UNMOUNTED = mistake(
  "mount",
  "This payment form was unmounted, so nothing happened. Use what mount() returned last.",
);
const NOT_READY = mistake(
  "your-button",
  "submit() was called before the payment form was ready, so nothing was submitted. Enable your button in onReady.",
);

function mountFrame(origin: string, element: HTMLElement, options: CardlaneMountOptions): CardlaneFrame {
  const { languages } = navigator;
  const iframe = createFrame(frameAddress(origin, self.origin, options), languageOf(options.locale, languages));
  // The form's options, sent in answer to its hello: more than once when the page moves the frame and it loads again.
  let current = frameOptions(options, languages);
  let phase: "loading" | "greeted" | "ready" | "unmounted" = "loading";

  const post = (message: ParentMessage) => iframe.contentWindow?.postMessage(wrap(message), origin);
  const stopWaiting = awaitHello(iframe, () => {
    const problem = mistake("origins", notLoaded(self.origin));
    complain(origin, problem);
    notifyPage(options, { type: "error", code: "origin_not_allowed", message: problem.text, attempts_left: null });
  });

  const hear = (message: FrameMessage) => {
    if (message.type === "resize") {
      iframe.style.height = `${message.height}px`;
    } else if (message.type === "hello") {
      phase = "greeted";
      stopWaiting();
      post({ type: "init", ...current });
    } else {
      if (message.type === "ready") {
        phase = "ready";
        reveal(iframe);
      }
      // A page without a form, which says in words why.
      if (message.type === "error" && phase === "loading") {
        stopWaiting();
        reveal(iframe);
        complain(origin, mistake("token", message.message));
      }
      notifyPage(options, message);
    }
  };
  const stopListening = listenTo(iframe, origin, hear);
  element.append(iframe);

  return {
    submit() {
      if (phase === "ready") post({ type: "submit" });
      else warn(origin, phase === "unmounted" ? UNMOUNTED : NOT_READY);
    },
    update(changes) {
      const wrong = updateMistake(changes);
      if (wrong) return refuse(origin, wrong);
      if (phase === "unmounted") return warn(origin, UNMOUNTED);
      for (const problem of contrastWarnings(changes.appearance)) warn(origin, problem);
      const changed = frameOptions(changes, languages);
      current = { ...current, ...changed };
      if (changed.locale) nameFrame(iframe, changed.locale);
      if (phase !== "loading") post({ type: "update", ...changed });
    },
    unmount() {
      phase = "unmounted";
      stopWaiting();
      stopListening();
      iframe.remove();
    },
  };
}

/** Listens to this frame at this origin only; returns how to stop. */
function listenTo(iframe: HTMLIFrameElement, origin: string, hear: (message: FrameMessage) => void): () => void {
  const receive = ({ source, origin: sender, data }: MessageEvent) => {
    if (source === null || source !== iframe.contentWindow || sender !== origin) return;
    const message = readFrameMessage(data);
    if (message) hear(message);
  };
  addEventListener("message", receive);
  return () => removeEventListener("message", receive);
}

const notLoaded = (pageOrigin: string) =>
  `The payment form did not load. Most often the page's origin ${pageOrigin} is missing from the session's allowed_origins; otherwise the token is of no session, or the network failed.`;

/** How long a form may take at most, and how long after the browser says that it has loaded: its scripts have run then. */
const LIMIT_MS = 10_000;
const LOADED_LIMIT_MS = 3_000;
/** How often a frame that has loaded and says nothing is loaded again: an outage or a lost script may be over by then. */
const MOST_RELOADS = 2;

/**
 * Browsers do not report that a frame refused to be framed or shows an error; silence is the only sign. Calls back once, unless
 * the returned function was called before.
 */
function awaitHello(iframe: HTMLIFrameElement, onSilence: () => void): () => void {
  let timer = setTimeout(giveUp, LIMIT_MS);
  let reloads = 0;
  iframe.addEventListener("load", onLoad);

  function stop(): void {
    clearTimeout(timer);
    iframe.removeEventListener("load", onLoad);
  }
  function giveUp(): void {
    stop();
    onSilence();
  }
  function onLoad(): void {
    clearTimeout(timer);
    timer = setTimeout(reloads < MOST_RELOADS ? reload : giveUp, LOADED_LIMIT_MS);
  }
  function reload(): void {
    reloads++;
    timer = setTimeout(giveUp, LIMIT_MS);
    const { src } = iframe;
    iframe.src = src;
  }
  return stop;
}
