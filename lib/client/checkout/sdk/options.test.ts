import { expect, test } from "vitest";
import type { Appearance } from "@/lib/contract/checkout/appearance";
import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import type { CheckoutErrorCode } from "@/lib/contract/checkout/messages";
import type { CardlaneAppearance, CardlaneErrorCode, CardlaneLanguage, CardlaneMountOptions } from "@/public/sdk/v1";
import { contrastWarnings, frameOptions, languageOf, mountMistake, updateMistake } from "./options";

const TOKEN = `cst_${"a".repeat(43)}`;
const mistakeOf = (options: object) => mountMistake({ token: TOKEN, ...options })?.text ?? null;

/** Compiles only while the published types match the contract exactly. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
const IN_STEP: [
  Same<CardlaneErrorCode, CheckoutErrorCode>,
  Same<CardlaneLanguage, CheckoutLocale>,
  Same<CardlaneAppearance, Appearance>,
] = [true, true, true];

test("the published types match the contract", () => {
  expect(IN_STEP).not.toContain(false);
});

test("the guide's options are valid", () => {
  const options: CardlaneMountOptions = {
    token: TOKEN,
    mode: "tokenize",
    appearance: { preset: "soft", theme: "system", accent_color: "#1a73e8", border_radius: 0 },
    locale: "pt-BR",
    button: false,
    fields: { name: true, postalCode: false },
    onReady: () => {},
    onSuccess: undefined,
  };
  expect(mountMistake(options)).toBeNull();
});

test("null values from the API are accepted", () => {
  expect(mistakeOf({ appearance: null, mode: null, fields: null })).toBeNull();
  expect(frameOptions({ appearance: null }, ["en"])).toEqual({});
});

test.each([
  [undefined, /is missing.*client_session_token/],
  ["", /is missing/],
  [42, /is missing/],
  ["sk_test_4f6a", /Never put a secret key into a page.*Revoke it now/],
  ["sk_live_4f6a", /Never put a secret key into a page/],
  ["cs_01h455vb4pex5vsknk084sn02q", /the session's id.*cst_/],
  ["https://pay.example.com/pay/cst_abc", /an address.*cst_/],
  ["tok_01h455vb4pex5vsknk084sn02q", /another kind/],
  ["cst_../../evil?x=", /another kind/],
])("the token %s is refused with what to do instead, and is not repeated", (token, says) => {
  const found = mountMistake({ token });
  expect(found?.text).toMatch(says);
  expect(found?.topic).toBe("token");
  if (typeof token === "string" && token.length > 8) expect(found?.text).not.toContain(token);
});

test.each([
  [{ onsuccess: () => {} }, /no option onsuccess\. There are: .*onSuccess/],
  [{ constructor: 1 }, /no option constructor/],
  [{ mode: "subscribe" }, /mode must be one of payment, tokenize, setup, but is "subscribe"/],
  [{ button: "no" }, /button must be true or false/],
  [{ onReady: "ready" }, /onReady must be a function/],
  [{ fields: { postal_code: true } }, /no option fields\.postal_code\. There are: name, postalCode/],
  [{ fields: { name: 1 } }, /fields\.name must be true or false/],
  [{ fields: true }, /fields must be an object/],
  [{ locale: "nl" }, /locale must be "auto" or one of en, de, .*"nl"/],
  [{ locale: 7 }, /locale must be/],
  [{ appearance: "dark" }, /appearance must be an object/],
  [{ appearance: { accentColor: "#fff" } }, /Write accent_color, as the API does/],
  [{ appearance: { accent_color: "red" } }, /appearance\.accent_color cannot be "red"\. Write a color as #rgb/],
  [{ appearance: { font: "Arial" } }, /There are: preset, theme, .*font_family/],
  [{ appearance: { font_family: "a;}b" } }, /appearance\.font_family/],
  [{ appearance: { border_radius: 25 } }, /0 to 24/],
])("%o is rejected with the problem and the remedy", (options, says) => {
  expect(mistakeOf(options)).toMatch(says);
});

test("options that are not an object are rejected", () => {
  for (const options of [undefined, null, "cst_x", [TOKEN]]) expect(mountMistake(options)?.topic).toBe("options");
});

test("an update can change appearance, language and button, and no creation option", () => {
  expect(updateMistake({ locale: "auto", button: true, appearance: { theme: "dark" } })).toBeNull();
  for (const name of ["token", "mode", "fields", "onReady"]) {
    expect(updateMistake({ [name]: "x" })?.text).toMatch("There are: appearance, locale, button.");
  }
  expect(updateMistake(undefined)?.topic).toBe("options");
});

test("low-contrast colors are reported with their contrast ratio", () => {
  const [warning] = contrastWarnings({ background_color: "#ffffff", text_color: "#cccccc" });
  expect(warning?.text).toBe(
    "Unless the session sets other colors, text_color has a contrast of 1.6 to the light background, but needs 4.5.",
  );
  expect(contrastWarnings({ preset: "night" })).toEqual([]);
  expect(contrastWarnings(undefined)).toEqual([]);
});

test("auto selects the shopper's first supported language", () => {
  expect(languageOf("auto", ["nl-NL", "de-AT", "en"])).toBe("de");
  expect(languageOf("auto", ["nl"])).toBe("en");
  expect(languageOf("pt-BR", ["de"])).toBe("pt");
  for (const nothing of [undefined, null]) expect(languageOf(nothing, ["de"])).toBe("de");
});

test("the form gets only the options that were set", () => {
  expect(frameOptions({}, ["fr"])).toEqual({});
  expect(frameOptions({ button: false, locale: "auto" }, ["fr"])).toEqual({ button: false, locale: "fr" });
});
