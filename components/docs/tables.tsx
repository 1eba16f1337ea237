import Link from "next/link";
import type { ReactNode } from "react";
import { APPEARANCE_PRESETS, resolveAppearance } from "@/lib/contract/checkout/appearance";
import { MAX_SESSION_ATTEMPTS } from "@/lib/contract/checkout/attempts";
import { CHECKOUT_LOCALES } from "@/lib/contract/checkout/checkout";
import type { CheckoutErrorCode } from "@/lib/contract/checkout/messages";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { ERROR_CODES, ERRORS } from "@/lib/contract/errors";
import { EVENTS } from "@/lib/contract/events/event";
import { groupedNumber } from "@/lib/contract/format";
import { DECLINE_GUIDE } from "@/lib/contract/payments/decline-guide";
import type { PaymentStatus } from "@/lib/contract/payments/payment";
import { AVS_RESULTS, CVV_RESULTS } from "@/lib/contract/payments/words";
import { PERMISSIONS } from "@/lib/contract/permissions";
import { FRAUD_RULES, SANDBOX_AVS, SANDBOX_CARDS, type SandboxCard } from "@/lib/contract/sandbox-cards";
import { BRAND_NAMES } from "@/lib/contract/transactions/words";
import { CodeBlock } from "./code";
import { DataTable, RichText } from "./prose";

/** Parts of the contract that the guides show, so that the two cannot differ. */

const Mono = ({ children, id }: { children: ReactNode; id?: string }) => (
  <code className="font-mono text-[12.5px] sm:whitespace-nowrap" id={id}>
    {children}
  </code>
);

const STATUSES: Record<PaymentStatus, { means: string; next: string }> = {
  PENDING: { means: "The outcome is not known yet.", next: "Usually known within seconds." },
  REQUIRES_ACTION: {
    means: "The shopper must complete 3-D Secure.",
    next: "`next_action` has the address to send them to.",
  },
  AUTHORIZED: { means: "The amount is held on the card.", next: "Capture or void it within seven days." },
  CAPTURED: { means: "The money was taken.", next: "It settles; it can be refunded." },
  SETTLED: { means: "The money is on its way to you.", next: "It can be refunded." },
  PARTIALLY_REFUNDED: { means: "Part of the amount was returned.", next: "The rest can be refunded." },
  REFUNDED: { means: "The full amount was refunded.", next: "Final, unless a refund fails later." },
  VOIDED: { means: "The hold was released, by you or because it expired.", next: "Final." },
  DECLINED: { means: "Declined by the issuer or the fraud rules.", next: "Final. `decline_code` says why." },
  FAILED: { means: "It failed; no money moved.", next: "Final." },
};

export const Statuses = () => (
  <DataTable
    caption="Statuses of a payment"
    columns={["Status", "Means", "Next"]}
    rows={Object.entries(STATUSES).map(([status, { means, next }]) => ({
      key: status,
      cells: [<Mono key="status">{status}</Mono>, means, <RichText key="next" text={next} />],
    }))}
  />
);

export const EventCatalogue = () => (
  <DataTable
    caption="Events"
    columns={["Type", "When"]}
    rows={Object.entries(EVENTS).map(([type, { summary }]) => ({
      key: type,
      cells: [
        <Mono key="type" id={`event-${type}`}>
          {type}
        </Mono>,
        <RichText key="summary" text={summary} />,
      ],
    }))}
  />
);

const USED_PERMISSIONS: ReadonlySet<string> = new Set(ENDPOINTS.flatMap(({ permissions }) => permissions));

/** Permissions of API keys. */
export const Permissions = () => (
  <p className="leading-7">
    <RichText
      text={PERMISSIONS.filter((name) => USED_PERMISSIONS.has(name))
        .map((name) => `\`${name}\``)
        .join(" ")}
    />
  </p>
);

type Urls = { baseUrl: string; sandboxBaseUrl: string | null; liveBaseUrl: string | null };

/** Parts of the guide that depend on this service's configuration. */
export function guideParts({ baseUrl, sandboxBaseUrl, liveBaseUrl }: Urls, problem: object) {
  const both = `Both modes are at \`${baseUrl}\`; the key decides.`;
  const each = `Test mode is at \`${sandboxBaseUrl ?? baseUrl}\`, live mode at \`${liveBaseUrl ?? baseUrl}\`.`;
  const Addresses = () => (
    <p>
      <RichText text={sandboxBaseUrl === null && liveBaseUrl === null ? both : each} />
    </p>
  );
  const ErrorExample = () => (
    <CodeBlock title="402 Payment Required" language="json" code={JSON.stringify(problem, null, 2)} />
  );
  return { Addresses, ErrorExample, Permissions, Statuses };
}

export function ErrorCodes({ statuses, caption }: { statuses: readonly number[]; caption: string }) {
  const codes = ERROR_CODES.filter((code) => statuses.includes(ERRORS[code].status));
  return (
    <DataTable
      caption={`Error codes: ${caption}`}
      columns={["Status", "Code", "Meaning"]}
      rows={codes
        .toSorted((a, b) => ERRORS[a].status - ERRORS[b].status)
        .map((code) => ({
          key: code,
          cells: [
            ERRORS[code].status,
            <Link key="code" href={`/docs/errors/${code}`} className="font-mono text-xs">
              {code}
            </Link>,
            ERRORS[code].title,
          ],
        }))}
    />
  );
}

export const DeclineCodes = () => (
  <DataTable
    caption="Decline codes"
    columns={["Code", "Meaning", "What to tell the shopper"]}
    rows={Object.entries(DECLINE_GUIDE).map(([code, { meaning, say }]) => ({
      key: code,
      cells: [<Mono key="code">{code}</Mono>, meaning, say],
    }))}
  />
);

type Guide = { cause: string; cure: string };

type Closing =
  | "origin_not_allowed"
  | "form_not_loaded"
  | "session_not_found"
  | "attempts_exhausted"
  | "session_cancelled";

const STAYS: Record<Exclude<CheckoutErrorCode, Closing>, Guide> = {
  trial_used: {
    cause: "The customer, the card or the e-mail address has already had a trial of the plan. Nothing was charged.",
    cure: "The form shows the new terms; the shopper agrees to them, or leaves.",
  },
  card_declined: {
    cause:
      "The bank declined without giving the shopper a reason. Lost, stolen and suspected cards look the same on purpose.",
    cure: "The shopper tries another card. Your server sees the decline_code in the payment.",
  },
  insufficient_funds: { cause: "Insufficient funds.", cure: "The shopper tries another card." },
  expired_card: {
    cause: "The card has expired.",
    cure: "The shopper corrects the date or tries another card.",
  },
  incorrect_cvv: { cause: "The security code does not match.", cure: "The shopper corrects it." },
  incorrect_number: { cause: "The card number does not exist.", cure: "The shopper corrects the number." },
  authentication_failed: {
    cause: "3-D Secure failed, was abandoned or timed out.",
    cure: "The shopper tries again or uses another card.",
  },
  processing_error: { cause: "The bank could not process it. Nothing moved.", cure: "The shopper tries again." },
  invalid_card_data: { cause: "A field failed a check that only the server makes.", cure: "The form marks it." },
  rate_limited: {
    cause: "Too many attempts from one address, or too many declined cards of one issuer, within a minute.",
    cure: "The form says how long to wait. Nothing was charged.",
  },
  connection_lost: {
    cause: "The response to a payment did not arrive.",
    cure: "The form retries with the same key until it gets a response. Don’t remove it, and don’t offer another way to pay.",
  },
  processor_unavailable: {
    cause: "The account has no card processor for this environment, or it cannot be reached.",
    cure: "Nothing was charged. In live mode, ask for a processor to be connected.",
  },
};

const CLOSES: Record<Closing, Guide> = {
  origin_not_allowed: {
    cause: "Your page’s origin, or that of a page around it, is not in the session’s allowed_origins.",
    cure: "Compare the origin in the console’s message with allowed_origins, letter by letter.",
  },
  form_not_loaded: {
    cause: "Something kept the frame away: your page’s Content-Security-Policy, the network or a browser extension.",
    cure: "The message says which, as far as browsers reveal it.",
  },
  session_not_found: {
    cause: "There is no session with this token.",
    cure: "Pass the token unchanged, from the same environment.",
  },
  attempts_exhausted: {
    cause: `${MAX_SESSION_ATTEMPTS} attempts were made.`,
    cure: "Create another session if you still expect this payment.",
  },
  session_cancelled: { cause: "Your server cancelled the session.", cure: "Create another one." },
};
/** Codes of `onError`, after which the form stays or closes. */
export const FormErrors = ({ kind }: { kind: "stays" | "closes" }) => (
  <DataTable
    caption={kind === "stays" ? "Errors after which the form stays" : "Errors that close the form"}
    columns={["Code", "Cause and what to do"]}
    rows={Object.entries<Guide>(kind === "stays" ? STAYS : CLOSES).map(([code, { cause, cure }]) => ({
      key: code,
      cells: [
        <Mono key="code" id={`error-${code}`}>
          {code}
        </Mono>,
        <span key="guide">
          {cause} <span className="text-soft">{cure}</span>
        </span>,
      ],
    }))}
  />
);

export const Presets = () => (
  <DataTable
    caption="Presets"
    columns={["Preset", "Theme", "Accent", "Background", "Radius"]}
    rows={APPEARANCE_PRESETS.map((preset) => {
      const { theme, colors, borderRadius } = resolveAppearance({ preset });
      const { accent, background } = colors[theme === "dark" ? "dark" : "light"];
      return {
        key: preset,
        cells: [
          <Mono key="preset">{preset}</Mono>,
          theme,
          <Swatch key="accent" color={accent} />,
          <Swatch key="ground" color={background} />,
          `${borderRadius} px`,
        ],
      };
    })}
  />
);

function Swatch({ color }: { color: string }) {
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap font-mono text-[12.5px]">
      <svg viewBox="0 0 12 12" className="size-3 border" aria-hidden="true">
        <rect width="12" height="12" fill={color} />
      </svg>
      {color}
    </span>
  );
}

const languageNames = new Intl.DisplayNames(["en"], { type: "language" });

/** The languages of the payment form, in one line. */
export const Languages = () => (
  <RichText text={CHECKOUT_LOCALES.map((locale) => `${languageNames.of(locale)} (\`${locale}\`)`).join(", ")} />
);

export function TestCards({ group }: { group: SandboxCard["group"] }) {
  const cards = SANDBOX_CARDS.filter((card) => card.group === group);
  const [brand, ...others] = new Set(cards.map((card) => BRAND_NAMES[card.brand]));
  const effect = others.length === 0;
  return (
    <>
      {effect && <p>All of these are {brand} cards.</p>}
      <DataTable
        caption={`Test cards: ${group}`}
        columns={["Number", effect ? "What happens" : "Brand"]}
        rows={cards.map((card) => ({
          key: card.number,
          cells: [
            <span key="number" className="whitespace-nowrap">
              <Mono id={`card-${card.number}`}>{groupedNumber(card.number)}</Mono>
            </span>,
            effect ? card.effect : BRAND_NAMES[card.brand],
          ],
        }))}
      />
    </>
  );
}

export const SandboxAvs = () => (
  <DataTable
    caption="How the sandbox checks an address"
    columns={["You send as billing_address", "avs_result"]}
    rows={SANDBOX_AVS.map(({ sent, result }) => ({ key: sent, cells: [sent, <Mono key="result">{result}</Mono>] }))}
  />
);

const letters = (table: Record<string, string>) =>
  Object.entries(table).map(([letter, meaning]) => ({
    key: letter,
    cells: [<Mono key="letter">{letter}</Mono>, meaning],
  }));

export const AvsResults = () => (
  <DataTable caption="AVS results" columns={["avs_result", "Meaning"]} rows={letters(AVS_RESULTS)} />
);

export const CvvResults = () => (
  <DataTable caption="CVV results" columns={["cvv_result", "Meaning"]} rows={letters(CVV_RESULTS)} />
);

export const FraudRules = () => (
  <DataTable
    caption="Fraud score rules"
    columns={["Points", "When"]}
    rows={FRAUD_RULES.map(({ id, points, reason }) => ({
      key: id,
      cells: [<Mono key="points">{points}</Mono>, reason],
    }))}
  />
);
