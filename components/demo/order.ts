import { APPEARANCE_PRESETS, type Appearance, type AppearancePreset } from "@/lib/contract/checkout/appearance";
import { CHECKOUT_LOCALES, type CheckoutLocale } from "@/lib/contract/checkout/checkout";

/**
 * An order of the sample shop. It is kept in the page's address, so that a reload or a double click is the
 * same order.
 */
export type Order = {
  /** `monthly`: the subscription, which has neither quantity nor currency. */
  product: "print" | "monthly";
  print: PrintId;
  quantity: number;
  currency: DemoCurrency;
  capture: "automatic" | "manual";
  mode: (typeof ORDER_MODES)[number];
  /** Created by the server with the checkout page; null before. */
  id: string | null;
};
export type PlacedOrder = Order & { id: string };

/** Appearance of the form; the order doesn't depend on it. */
export type Look = {
  language: CheckoutLocale | "auto";
  appearance: AppearancePreset | "shop";
  /** `form`: the form's own button. `shop`: the shop's button, which calls `submit()`. */
  button: "form" | "shop";
};

/** The shop sells, so it never only stores a card. */
export const ORDER_MODES = ["payment", "tokenize"] as const;
const PRODUCTS = ["print", "monthly"] as const;
export const CAPTURES = ["automatic", "manual"] as const;
export const LANGUAGES = ["auto", ...CHECKOUT_LOCALES] as const;
export const APPEARANCES = ["shop", ...APPEARANCE_PRESETS] as const;
export const BUTTONS = ["form", "shop"] as const;

/** Values of an address or a body; an unknown choice counts as absent. */
export type Values = Record<string, unknown>;

const choice = <T extends string>(choices: readonly [T, ...T[]] | readonly T[], value: unknown): T =>
  choices.find((one) => one === value) ?? (choices[0] as T);

const ORDER_ID = /^[a-z0-9]{12,40}$/;

export function readOrder(values: Values): Order {
  const quantity = Number(values.quantity);
  const product = choice(PRODUCTS, values.product);
  return {
    product,
    print: choice(PRINT_IDS, values.print),
    quantity: QUANTITIES.find((one) => one === quantity) ?? 1,
    currency: choice(DEMO_CURRENCIES, values.currency),
    capture: choice(CAPTURES, values.capture),
    mode: product === "monthly" ? "payment" : choice(ORDER_MODES, values.mode),
    id: typeof values.order === "string" && ORDER_ID.test(values.order) ? values.order : null,
  };
}

export const isPlaced = (order: Order): order is PlacedOrder => order.id !== null;

export function readLook(values: Values): Look {
  return {
    language: choice(LANGUAGES, values.language),
    appearance: choice(APPEARANCES, values.appearance),
    button: choice(BUTTONS, values.button),
  };
}

/** Query or body values of an order, without defaults. */
export function orderValues({ id, ...order }: Order, look?: Look): Record<string, string> {
  const usual = { ...readOrder({}), ...readLook({}) } as Values;
  const all = { ...order, ...look, order: id };
  return Object.fromEntries(
    Object.entries(all)
      .filter(([name, value]) => value !== null && (name === "print" || value !== usual[name]))
      .map(([name, value]) => [name, String(value)]),
  );
}

export const checkoutPath = (order: Order, look?: Look) =>
  `/demo/checkout?${new URLSearchParams(orderValues(order, look)).toString()}`;

/** The plan that the shop sells as a subscription. Prices in US cents. */
export const MONTHLY = {
  plan: "Print of the month",
  about: "A small print in your mailbox, every month. A new artist each time.",
  price: 1_900,
  trialDays: 14,
} as const;

/** Minor units. */
export const totalOf = ({ print, quantity, currency }: Order) => PRINTS[print].prices[currency] * quantity;

/** The colors of shop.css, which the form can't read. */
const SHOP_LOOK: Record<"light" | "dark", Appearance> = {
  light: {
    theme: "light",
    accent_color: "#a8361c",
    background_color: "#fffdf8",
    text_color: "#2a211b",
    border_radius: 2,
  },
  dark: {
    theme: "dark",
    accent_color: "#f08a63",
    background_color: "#211c17",
    text_color: "#f3eadf",
    border_radius: 2,
  },
};

export function appearanceOf({ appearance }: Look, scheme: "light" | "dark"): Appearance {
  return appearance === "shop" ? SHOP_LOOK[scheme] : { preset: appearance };
}

/**
 * Items and prices of the sample shop. The server derives every price from these; the browser only names the
 * print.
 */
export const DEMO_CURRENCIES = ["USD", "EUR", "JPY", "KWD"] as const;
type DemoCurrency = (typeof DEMO_CURRENCIES)[number];

export const PRINT_IDS = ["tide", "ridge", "harbour"] as const;
export type PrintId = (typeof PRINT_IDS)[number];

type Print = {
  title: string;
  place: string;
  about: string;
  /** Minor units of each currency. */
  prices: Record<DemoCurrency, number>;
};

export const PRINTS: Record<PrintId, Print> = {
  tide: {
    title: "Evening tide",
    place: "Skagen, 57° N",
    about: "The sun goes down behind the last sandbank, and for ten minutes the sea has five colors.",
    prices: { USD: 3_200, EUR: 2_950, JPY: 4_800, KWD: 9_750 },
  },
  ridge: {
    title: "Four ridges",
    place: "Dolomites, 46° N",
    about: "Drawn from a train window: each ridge is one color lighter than the one in front of it.",
    prices: { USD: 3_800, EUR: 3_500, JPY: 5_600, KWD: 11_500 },
  },
  harbour: {
    title: "Harbour, noon",
    place: "Piran, 45° N",
    about: "Three boats, no wind. The masts are as straight as the printer’s ruler.",
    prices: { USD: 2_600, EUR: 2_400, JPY: 3_900, KWD: 7_950 },
  },
};

export const QUANTITIES = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
