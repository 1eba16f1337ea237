/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import type { CheckoutView } from "@/lib/client/hosted/checkout-view";
import { textsOf } from "@/lib/client/hosted/texts";
import { AlertIcon, Spinner } from "./icons";

/**
 * What became of the last attempt, or of the connection. Always there, so that screen readers notice when it speaks. Its
 * room stays while the next attempt is sent: the button does not move under the pointer, nor the shop's page below the form.
 */
export function Notice({ view }: { view: CheckoutView }) {
  const { state, notice, phase, locale } = view;
  const texts = textsOf(locale);
  const [last, setLast] = useState(notice);
  if (last !== notice && phase !== "submitting") setLast(notice);
  const shown = phase === "submitting" ? (notice ?? last) : notice;
  const kind = !notice ? "room" : phase === "checking" ? "waiting" : "said";
  return (
    <div role="alert">
      {shown && (
        // Another element when it speaks again: what is read out is what is new.
        <div key={kind} class={`notice ${kind}`}>
          {phase === "checking" ? <Spinner /> : <AlertIcon />}
          <div>
            <p>{texts.notices[shown]}</p>
            {shown === state.failure && state.attempts_left > 0 && (
              <p class="attempts">{texts.attemptsLeft(state.attempts_left)}</p>
            )}
          </div>
        </div>
      )}
    </div>
  );
}
