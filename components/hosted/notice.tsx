/** @jsxImportSource preact */
import type { CheckoutView } from "@/lib/client/hosted/checkout-view";
import { textsOf } from "@/lib/client/hosted/texts";
import { AlertIcon, Spinner } from "./icons";

/** What became of the last attempt, or of the connection. Always there, so that screen readers notice when it speaks. */
export function Notice({ view }: { view: CheckoutView }) {
  const { state, notice, phase, locale } = view;
  const texts = textsOf(locale);
  return (
    <div role="alert">
      {notice && (
        <div class={`notice ${phase === "checking" ? "waiting" : ""}`}>
          {phase === "checking" ? <Spinner /> : <AlertIcon />}
          <div>
            <p>{texts.notices[notice]}</p>
            {notice === state.failure && state.attempts_left > 0 && (
              <p class="attempts">{texts.attemptsLeft(state.attempts_left)}</p>
            )}
          </div>
        </div>
      )}
    </div>
  );
}
