import type {
  ClosedReason,
  FieldName,
  FieldProblem,
  NoticeKey,
} from "@/lib/client/checkout/payment-form/checkout-view";

type Screen = { title: string; text: string };

/**
 * Texts of the payment form in one language. Amounts and names come formatted, and are isolated inside
 * sentences.
 */
export type Texts = {
  /** Title of the document, and of a payment link's tab. */
  title: (merchant: string) => string;
  /** Title of the iframe, for screen readers. */
  frameTitle: string;
  total: string;
  /** In place of "total" for a subscription. */
  dueToday: string;
  /** Instructions for cancelling. */
  cancelAnyTime: (merchant: string) => string;
  /** Heading in place of the amount when a card is only stored. */
  saveCard: string;
  cardDetails: string;
  securedBy: string;
  /** Note beside the lock: who sees the card data, and who doesn't. */
  cardData: (merchant: string) => string;
  labels: Record<FieldName, string>;
  optional: (label: string) => string;
  placeholders: Record<Exclude<FieldName, "consent">, string>;
  hints: { cvvThree: string; cvvFour: string; cvvHelp: string };
  problems: Record<FieldProblem, string>;
  /** Announced above the fields after a submit, for screen readers. */
  problemsFound: (count: number) => string;
  brand: (name: string) => string;
  button: { pay: (amount: string) => string; save: string; startTrial: string; paying: string; saving: string };
  notices: Record<NoticeKey, string>;
  attemptsLeft: (count: number) => string;
  checking: { title: string };
  processing: Screen;
  challenge: Screen & { frameTitle: string; blocked: string; openInWindow: string };
  done: {
    title: string;
    text: (amount: string, merchant: string) => string;
    savedTitle: string;
    savedText: (merchant: string) => string;
    /** The card is stored for later payments. */
    storedTitle: string;
    storedText: (merchant: string) => string;
    trialTitle: string;
    reference: string;
    receipt: string;
    returning: (merchant: string) => string;
  };
  closed: Record<ClosedReason, Screen>;
  originNotAllowed: Screen;
  /** The merchant's account is suspended. */
  unavailable: Screen;
  backTo: (merchant: string) => string;
  sandbox: { banner: string; hint: string };
  preview: string;
  noScript: string;
  /** Announced as the phase changes. */
  status: { submitting: string; checking: string; processing: string; challenge: string; done: string };
};
