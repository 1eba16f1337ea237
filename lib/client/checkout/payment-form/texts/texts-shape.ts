import type {
  ClosedReason,
  FieldName,
  FieldProblem,
  NoticeKey,
} from "@/lib/client/checkout/payment-form/checkout-view";
import type { PeriodUnit } from "@/lib/contract/plans/plan";

type Screen = { title: string; text: string };

/** The words of the payment form in one language. Amounts and names come formatted, and are isolated where a sentence has them. */
export type Texts = {
  /** Of the document, and of a payment link's tab. */
  title: (merchant: string) => string;
  /** Of the iframe, for screen readers. */
  frameTitle: string;
  total: string;
  /** When a plan charges: lengths and prices come formatted. */
  terms: {
    every: Record<PeriodUnit, string>;
    everyFew: (length: string) => string;
    price: (price: string, every: string) => string;
    trial: (price: string, length: string) => string;
    afterTrial: (trial: string, price: string) => string;
    /** Of a payment link to a plan with a free trial, which the link does not give. */
    withoutTrial: string;
  };
  cardDetails: string;
  securedBy: string;
  /** Beside the lock: who sees the card data, and who does not. */
  cardData: (merchant: string) => string;
  labels: Record<FieldName, string>;
  optional: (label: string) => string;
  placeholders: Record<FieldName, string>;
  hints: { cvvThree: string; cvvFour: string; cvvHelp: string };
  problems: Record<FieldProblem, string>;
  /** Announced once above the fields after a submit, for screen readers. */
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
  /** Read out by screen readers as the phase changes. */
  status: { submitting: string; checking: string; processing: string; challenge: string; done: string };
};
