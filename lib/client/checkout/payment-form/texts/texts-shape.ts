import type {
  ClosedReason,
  FieldName,
  FieldProblem,
  NoticeKey,
} from "@/lib/client/checkout/payment-form/checkout-view";
import type { PeriodUnit } from "@/lib/contract/plans/plan";

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
  /** Terms of a plan: lengths and prices come formatted. */
  terms: {
    every: Record<PeriodUnit, string>;
    everyFew: (length: string) => string;
    price: (price: string, every: string) => string;
    trial: (price: string, length: string) => string;
    afterTrial: (trial: string, price: string) => string;
    /** For a payment link to a plan with a free trial, which links don't grant. */
    withoutTrial: string;
  };
  cardDetails: string;
  securedBy: string;
  /** Note beside the lock: who sees the card data, and who doesn't. */
  cardData: (merchant: string) => string;
  labels: Record<FieldName, string>;
  optional: (label: string) => string;
  placeholders: Record<FieldName, string>;
  hints: { cvvThree: string; cvvFour: string; cvvHelp: string };
  problems: Record<FieldProblem, string>;
  /** Announced above the fields after a submit, for screen readers. */
  problemsFound: (count: number) => string;
  brand: (name: string) => string;
  button: { pay: (amount: string) => string; save: string; paying: string; saving: string };
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
