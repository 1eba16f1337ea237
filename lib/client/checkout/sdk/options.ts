import { contrastProblems } from "@/lib/contract/checkout/appearance";
import {
  CHECKOUT_LOCALES,
  CHECKOUT_MODES,
  type CheckoutLocale,
  checkoutLocale,
} from "@/lib/contract/checkout/checkout";
import { type FrameOptions, isAppearance, oneOf } from "@/lib/contract/checkout/messages";
import type { CardlaneMountOptions } from "@/public/sdk/v1";
import { type Mistake, mistake, type Topic } from "./page-mistakes";

type Names = keyof CardlaneMountOptions;
/** Returns the problem of a value. */
type Check = (value: unknown, name: string) => Mistake | null;

const must =
  (topic: Topic, is: (value: unknown) => boolean, what: string): Check =>
  (value, name) =>
    is(value) ? null : mistake(topic, `${name} must be ${what}, but is ${shown(value)}.`);

const flag = must("options", (value) => typeof value === "boolean", "true or false");
const callback = must("options", (value) => typeof value === "function", "a function");

const CHECKS: Record<Names, Check> = {
  token: tokenMistake,
  mode: must("options", oneOf(CHECKOUT_MODES), `one of ${CHECKOUT_MODES.join(", ")}`),
  appearance: appearanceMistake,
  locale: must("languages", isLocale, `"auto" or one of ${CHECKOUT_LOCALES.join(", ")}`),
  button: flag,
  fields: (value) =>
    isRecord(value)
      ? memberMistake(value, FIELDS, "fields.")
      : mistake("options", "fields must be an object such as { name: true }."),
  onReady: callback,
  onChange: callback,
  onActionRequired: callback,
  onSuccess: callback,
  onError: callback,
  onExpired: callback,
};

const FIELDS: Record<string, Check> = { name: flag, postalCode: flag };
const CHANGEABLE: Record<string, Check> = {
  appearance: CHECKS.appearance,
  locale: CHECKS.locale,
  button: CHECKS.button,
};

/** Problem of the options for `mount`, or null. */
export function mountMistake(options: unknown): Mistake | null {
  if (!isRecord(options)) return mistake("options", "mount() needs options, at least { token }.");
  return memberMistake({ ...options, token: options.token ?? "" }, CHECKS, "");
}

/** Problem of the options for `update`, or null. */
export function updateMistake(options: unknown): Mistake | null {
  if (!isRecord(options)) return mistake("options", "update() needs an object of options.");
  return memberMistake(options, CHANGEABLE, "");
}

function memberMistake(value: Record<string, unknown>, checks: Record<string, Check>, path: string): Mistake | null {
  for (const [name, member] of Object.entries(value)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!check) {
      return mistake("options", `There is no option ${path}${name}. There are: ${Object.keys(checks).join(", ")}.`);
    }
    // Null means absent, as in the API.
    const found = member === undefined || member === null ? null : check(member, path + name);
    if (found) return found;
  }
  return null;
}

const INSTEAD = "Pass the client_session_token (cst_…) of a session that your server created.";

/** Describes the kind of text without repeating it: it may be a secret, and consoles are recorded. */
function tokenMistake(token: unknown): Mistake | null {
  if (typeof token !== "string" || token === "") return mistake("token", `The token is missing. ${INSTEAD}`);
  if (token.startsWith("sk_")) {
    return mistake(
      "token",
      `Never put a secret key into a page: whoever opens the page has it, and can move your money. Revoke it now, in the dashboard under API keys. ${INSTEAD}`,
    );
  }
  if (/^cst_[\w-]+$/.test(token)) return null;
  if (token.startsWith("cs_")) return mistake("token", `The token is the session's id. ${INSTEAD}`);
  if (/^https?:/.test(token)) return mistake("token", `The token is an address, the iframe_url perhaps. ${INSTEAD}`);
  return mistake("token", `This is another kind of token. ${INSTEAD}`);
}

function appearanceMistake(value: unknown): Mistake | null {
  if (isAppearance(value)) return null;
  if (!isRecord(value)) return mistake("appearance", `appearance must be an object, but is ${shown(value)}.`);
  for (const [name, member] of Object.entries(value)) {
    if (isAppearance({ [name]: member })) continue;
    const apiName = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const isCamel = apiName !== name && isAppearance({ [apiName]: undefined });
    const hint = isCamel
      ? `Write ${apiName}, as the API does.`
      : (HINTS[name] ?? `There are: ${Object.keys(HINTS).join(", ")}.`);
    return mistake("appearance", `appearance.${name} cannot be ${shown(member)}. ${hint}`);
  }
  return null;
}

const COLOR = "Write a color as #rgb or #rrggbb.";
const HINTS: Record<string, string> = {
  preset: "Write clean, soft, sharp or night.",
  theme: "Write light, dark or system.",
  accent_color: COLOR,
  background_color: COLOR,
  text_color: COLOR,
  border_radius: "Write whole pixels from 0 to 24.",
  font_family: "Write names of fonts, at most 100 characters.",
};

/** Valid colors with too little contrast. */
export function contrastWarnings(appearance: CardlaneMountOptions["appearance"]): Mistake[] {
  return contrastProblems(appearance ?? null).map(({ param, scheme, contrast, needed }) =>
    mistake(
      "appearance",
      `Unless the session sets other colors, ${param} has a contrast of ${contrast.toFixed(1)} to the ${scheme} background, but needs ${needed}.`,
    ),
  );
}

/** Options in the form's format; absent ones stay absent. */
export function frameOptions(
  { appearance, locale, button }: Partial<CardlaneMountOptions>,
  languages: readonly string[],
) {
  const options: FrameOptions = {};
  if (appearance) options.appearance = appearance;
  if (locale) options.locale = languageOf(locale, languages);
  if (typeof button === "boolean") options.button = button;
  return options;
}

/** The requested language, or else the shopper's own. */
export const languageOf = (locale: string | null | undefined, languages: readonly string[]): CheckoutLocale =>
  checkoutLocale(!locale || locale === "auto" ? languages.join() : locale);

function isLocale(value: unknown): boolean {
  if (typeof value !== "string") return false;
  return value === "auto" || (CHECKOUT_LOCALES as readonly unknown[]).includes(value.split("-")[0]);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  if (typeof value === "string") return `"${value.slice(0, 40)}"`;
  return typeof value === "object" ? "an object" : String(value);
}
