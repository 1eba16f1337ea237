/** @jsxImportSource preact */
import { useEffect, useRef, useState } from "preact/hooks";
import type { CheckoutView } from "@/lib/client/hosted/checkout-view";
import { textsOf } from "@/lib/client/hosted/texts";
import { applyAppearance } from "./appearance-style";
import { Spinner } from "./icons";
import { Notice } from "./notice";

const SMALLEST_HEIGHT = 200;

/** The question of the card's issuer, inside the form; in the whole window where its page cannot be framed. */
export function ChallengeFrame({ url, view }: { url: string; view: CheckoutView }) {
  const texts = textsOf(view.locale).challenge;
  const [stage, setStage] = useState<"waiting" | "loading" | "shown" | "blocked">("waiting");
  // Only from here on does nobody miss that the frame has loaded: one in the server's page could be faster than the script.
  useEffect(() => setStage("loading"), []);
  const frame = useRef<HTMLIFrameElement>(null);
  const onLoad = () => setStage(frame.current && fitToContent(frame.current, view) ? "shown" : "blocked");
  return (
    <section class="issuer-frame" aria-labelledby="step">
      <div class={stage === "blocked" ? "" : "sr-only"}>
        <h2 id="step" tabIndex={-1}>
          {texts.title}
        </h2>
        <p class="soft">{stage === "blocked" ? texts.blocked : texts.text}</p>
      </div>
      {stage === "blocked" ? (
        <a class="button" href={url} target="_blank" rel="noopener">
          {texts.openInWindow}
        </a>
      ) : (
        <div class="loading">
          {stage !== "shown" && <Spinner size={24} />}
          {stage !== "waiting" && <iframe ref={frame} src={url} title={texts.frameTitle} onLoad={onLoad} />}
        </div>
      )}
      <Notice view={view} />
    </section>
  );
}

/**
 * Gives the frame its page's height and the form's colours. False when the page is out of reach: it is one of ours, so a
 * browser has then put an error page in its place.
 */
function fitToContent(frame: HTMLIFrameElement, view: CheckoutView): boolean {
  const inside = frame.contentDocument;
  if (!inside?.body) return false;
  applyAppearance(view.appearance, inside.documentElement, matchMedia("(prefers-color-scheme: dark)").matches);
  frame.style.height = `${Math.max(SMALLEST_HEIGHT, Math.ceil(inside.body.getBoundingClientRect().height) + 2)}px`;
  return true;
}
