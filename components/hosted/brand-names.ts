import type { CardBrandName } from "@/lib/client/hosted/checkout-view";

/** Brands as people say them; the same in every language. */
export const BRAND_NAMES: Record<CardBrandName, string> = {
  visa: "Visa",
  mastercard: "Mastercard",
  amex: "American Express",
  discover: "Discover",
  diners: "Diners Club",
  jcb: "JCB",
  unionpay: "UnionPay",
  maestro: "Maestro",
  mir: "Mir",
  elo: "Elo",
  hiper: "Hiper",
  hipercard: "Hipercard",
  troy: "Troy",
  verve: "Verve",
  naranja: "Naranja",
};
