import { APPEARANCE_PRESETS, type Appearance, type AppearancePreset } from "@/lib/contract/appearance";
import { CHECKOUT_MODES, type CheckoutMode } from "@/lib/contract/checkout";
import { CHECKOUT_LOCALES, type CheckoutLocale } from "@/lib/contract/checkout-locales";
import { DEMO_CURRENCIES, type DemoCurrency, PRINT_IDS, PRINTS, type PrintId, QUANTITIES } from "./prints";

/** One order of the sample shop. It lives in the page's address: a reload, or Buy pressed twice, is the same order. */
export type Order = {
  print: PrintId;
  quantity: number;
  currency: DemoCurrency;
  capture: "automatic" | "manual";
  mode: CheckoutMode;
  /** Minted by the server with the checkout page; null before. */
  id: string | null;
};
export type PlacedOrder = Order & { id: string };

/** How the form looks: nothing that the order depends on. */
export type Look = {
  language: CheckoutLocale | "auto";
  appearance: AppearancePreset | "shop";
  /** `form`: the form's own button. `shop`: the shop's, which calls `submit()`. */
  button: "form" | "shop";
};

export const CAPTURES = ["automatic", "manual"] as const;
export const LANGUAGES = ["auto", ...CHECKOUT_LOCALES] as const;
export const APPEARANCES = ["shop", ...APPEARANCE_PRESETS] as const;
export const BUTTONS = ["form", "shop"] as const;

/** Values of an address or a body; anything that is not one of the choices counts as not given. */
export type Values = Record<string, unknown>;

const choice = <T extends string>(choices: readonly [T, ...T[]] | readonly T[], value: unknown): T =>
  choices.find((one) => one === value) ?? (choices[0] as T);

const ORDER_ID = /^[a-z0-9]{12,40}$/;

export function readOrder(values: Values): Order {
  const quantity = Number(values.quantity);
  return {
    print: choice(PRINT_IDS, values.print),
    quantity: QUANTITIES.find((one) => one === quantity) ?? 1,
    currency: choice(DEMO_CURRENCIES, values.currency),
    capture: choice(CAPTURES, values.capture),
    mode: choice(CHECKOUT_MODES, values.mode),
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

/** Members as they stand in an address or a body; what is as usual is left out. */
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

/** Minor units. */
export const totalOf = ({ print, quantity, currency }: Order) => PRINTS[print].prices[currency] * quantity;

/** The shop's own colours: those of shop.css, which the form cannot read. */
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
