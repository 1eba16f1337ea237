import { DataTable } from "@/components/docs/prose";
import { CLIENT_SESSION_ATTEMPTS } from "@/lib/contract/checkout/client-session";
import type { CheckoutErrorCode } from "@/lib/contract/checkout/messages";
import { Code } from "./script-section";

type Guide = { cause: string; cure: string };

type Closing = "origin_not_allowed" | "session_not_found" | "attempts_exhausted" | "session_cancelled";

const STAYS: Record<Exclude<CheckoutErrorCode, Closing>, Guide> = {
  card_declined: {
    cause:
      "The bank said no, without a reason for the shopper. Lost, stolen and suspected cards look the same on purpose.",
    cure: "The shopper tries another card. Your server sees the decline_code in the payment.",
  },
  insufficient_funds: { cause: "There is not enough money on the card.", cure: "The shopper tries another card." },
  expired_card: {
    cause: "The bank says that the card has expired.",
    cure: "The shopper corrects the date or tries another card.",
  },
  incorrect_cvv: { cause: "The security code does not match.", cure: "The shopper corrects it." },
  incorrect_number: { cause: "The bank knows no such card.", cure: "The shopper corrects the number." },
  authentication_failed: {
    cause: "3-D Secure was failed, left, or not answered in time.",
    cure: "The shopper tries again or takes another card.",
  },
  processing_error: { cause: "The bank could not process it. Nothing moved.", cure: "The shopper tries again." },
  invalid_card_data: { cause: "A field is wrong in a way that only the server can tell.", cure: "The form marks it." },
  rate_limited: {
    cause: "Too many attempts from one address, or too many declined cards of one issuer, within a minute.",
    cure: "The form says how long to wait. Nothing was charged.",
  },
  connection_lost: {
    cause: "The answer to a payment did not arrive.",
    cure: "The form asks again under the same key until it knows. Do not remove it, and do not offer another way to pay.",
  },
  processor_unavailable: {
    cause: "The account has no card processor for this environment, or it cannot be reached.",
    cure: "Nothing was charged. In live mode, ask for a processor to be connected.",
  },
};

const CLOSES: Record<Closing, Guide> = {
  origin_not_allowed: {
    cause: "Your page’s origin is not in the session’s allowed_origins, or the frame could not be loaded.",
    cure: "Compare the origin in the console’s message with allowed_origins, letter by letter.",
  },
  session_not_found: {
    cause: "There is no session with this token.",
    cure: "Pass the token as it came, from the same environment.",
  },
  attempts_exhausted: {
    cause: `${CLIENT_SESSION_ATTEMPTS} attempts were made.`,
    cure: "Create another session, when you still want to be paid by this shopper.",
  },
  session_cancelled: { cause: "Your server cancelled the session.", cure: "Create another one." },
};

const rows = (guides: Record<string, Guide>) =>
  Object.entries(guides).map(([code, { cause, cure }]) => ({
    key: code,
    cells: [
      <code key="code" className="font-mono text-[12.5px] sm:whitespace-nowrap" id={`error-${code}`}>
        {code}
      </code>,
      <span key="guide">
        {cause} <span className="text-soft">{cure}</span>
      </span>,
    ],
  }));

/** Every code of `onError`. */
export function ErrorSection() {
  return (
    <>
      <h2 id="errors">Errors</h2>
      <p>
        <Code>onError</Code> gets a <Code>code</Code> to branch on, a <Code>message</Code> in the form’s language, and{" "}
        <Code>attemptsLeft</Code>. The form shows the message itself: do not show it twice. After these the form stays,
        and the shopper can go on:
      </p>
      <DataTable caption="Errors after which the form stays" columns={["Code", "Cause and cure"]} rows={rows(STAYS)} />
      <p>After these it takes no card any more:</p>
      <DataTable caption="Errors that close the form" columns={["Code", "Cause and cure"]} rows={rows(CLOSES)} />
    </>
  );
}
