import type { CheckoutPage } from "@/lib/contract/checkout";

/** What the server writes into the page for the script. */
export type PageData = {
  page: CheckoutPage;
  /** Null for the preview. */
  token: string | null;
  embedded: boolean;
};
