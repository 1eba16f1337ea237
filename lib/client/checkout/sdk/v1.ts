import {
  type CheckoutErrorCode,
  type FrameMessage,
  type ParentMessage,
  readFrameMessage,
  wrap,
} from "@/lib/contract/checkout/messages";
import type { Cardlane, CardlaneFrame, CardlaneMountOptions } from "@/public/sdk/v1";
import { createFrame, frameAddress, hasFrame, nameFrame, notifyPage, reveal } from "./frame";
import { contrastWarnings, frameOptions, languageOf, mountMistake, updateMistake } from "./options";
import {
  complain,
  findElement,
  type Mistake,
  mistake,
  originOf,
  pageMistake,
  refuse,
  UNKNOWN_ORIGIN,
  warn,
} from "./page-mistakes";

// Available only while the script runs for the first time.
const origin = originOf(document.currentScript);

const api: Cardlane = { version: "1.0.0", mount: (element, options) => mount(origin, element, options) };

Object.assign(window, { Cardlane: Object.freeze(api) });

/** `Cardlane.mount`. `origin` is Cardlane's; null if unknown. */
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
  // Options sent in response to the form's hello, which repeats if the page moves the frame and it reloads.
  let current = frameOptions(options, languages);
  let phase: "loading" | "greeted" | "ready" | "unmounted" = "loading";

  const post = (message: ParentMessage) => iframe.contentWindow?.postMessage(wrap(message), origin);
  const waiting = awaitHello(iframe, origin, (code, problem) => {
    complain(origin, problem);
    notifyPage(options, { type: "error", code, message: problem.text, attempts_left: null });
  });

  const hear = (message: FrameMessage) => {
    if (message.type === "resize") {
      iframe.style.height = `${message.height}px`;
    } else if (message.type === "hello") {
      phase = "greeted";
      waiting.stop();
      post({ type: "init", ...current });
    } else if (message.type === "embeddable") {
      waiting.mayEmbed();
    } else {
      if (message.type === "ready") {
        phase = "ready";
        reveal(iframe);
      }
      // A page without a form, whose text explains why.
      if (message.type === "error" && phase === "loading") {
        waiting.stop();
        reveal(iframe);
        complain(origin, mistake(message.code === "origin_not_allowed" ? "origins" : "token", message.message));
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
      waiting.stop();
      stopListening();
      iframe.remove();
    },
  };
}

/** Listens to this frame at this origin only. Returns a stop function. */
function listenTo(iframe: HTMLIFrameElement, origin: string, hear: (message: FrameMessage) => void): () => void {
  const receive = ({ source, origin: sender, data }: MessageEvent) => {
    if (source === null || source !== iframe.contentWindow || sender !== origin) return;
    const message = readFrameMessage(data);
    if (message) hear(message);
  };
  addEventListener("message", receive);
  return () => removeEventListener("message", receive);
}

/** Time limit for loading the form, and then for its hello after the browser reports it loaded. */
const LIMIT_MS = 10_000;
const LOADED_LIMIT_MS = 3_000;

type Waiting = {
  stop(): void;
  /** The session allows this page's origin. */
  mayEmbed(): void;
};

/**
 * Browsers don't report that a frame was blocked or shows an error: silence is the only sign. A silent form
 * is replaced by its page without a form, which any page may embed and which reports the reason, and is then
 * loaded once more in case an outage is over. Calls back at most once.
 */
function awaitHello(
  iframe: HTMLIFrameElement,
  origin: string,
  onSilence: (code: CheckoutErrorCode, problem: Mistake) => void,
): Waiting {
  const { src } = iframe;
  let step: "form" | "why" | "again" = "form";
  let isNamed = false;
  let timer = setTimeout(giveUp, LIMIT_MS);
  iframe.addEventListener("load", onLoad);
  document.addEventListener("securitypolicyviolation", onViolation);

  function stop(): void {
    clearTimeout(timer);
    iframe.removeEventListener("load", onLoad);
    document.removeEventListener("securitypolicyviolation", onViolation);
  }
  function giveUp(): void {
    stop();
    const isInner = self.parent !== self;
    if (isNamed && isInner) onSilence("origin_not_allowed", mistake("origins", frameInFrame(self.origin)));
    else onSilence("form_not_loaded", mistake("not-loaded", isNamed ? NO_SCRIPT : unreachable(origin)));
  }
  function onViolation({ effectiveDirective, blockedURI, disposition }: SecurityPolicyViolationEvent): void {
    if (effectiveDirective !== "frame-src" || disposition !== "enforce" || !blockedURI.startsWith(origin)) return;
    stop();
    onSilence("form_not_loaded", mistake("csp", blockedByPolicy(origin)));
  }
  function onLoad(): void {
    clearTimeout(timer);
    timer = setTimeout(next, LOADED_LIMIT_MS);
  }
  function next(): void {
    if (step === "again") {
      giveUp();
      return;
    }
    step = step === "form" ? "why" : "again";
    clearTimeout(timer);
    timer = setTimeout(giveUp, LIMIT_MS);
    iframe.src = step === "why" ? `${src}&why` : src;
  }
  return {
    stop,
    mayEmbed() {
      isNamed = true;
      if (step === "why") next();
    },
  };
}

const frameInFrame = (pageOrigin: string) =>
  `${pageOrigin} is in the session's allowed_origins, but the page is in a frame itself: add the origin of every page around it.`;
const NO_SCRIPT = "The payment form's script did not run: the connection was lost, or a browser extension stopped it.";
const unreachable = (origin: string) =>
  `The payment form did not load: ${origin} could not be reached, or the browser or an extension blocked its frame.`;
const blockedByPolicy = (origin: string) =>
  `The page's Content-Security-Policy blocked the payment form. Add ${origin} to its frame-src.`;
