import { expect, test } from "vitest";
import { findElement, originOf, pageMistake } from "./page-mistakes";

test("Cardlane's origin is the script's origin", () => {
  expect(originOf({ src: "https://pay.example.com/sdk/v1.js" })).toBe("https://pay.example.com");
  expect(originOf({ src: "http://localhost:3000/sdk/v1.js?x=1" })).toBe("http://localhost:3000");
});

test.each([
  ["a module", null],
  ["an inline copy", { src: "" }],
  ["a script in a picture", { src: { baseVal: "https://pay.example.com/sdk/v1.js" } }],
  ["a bundle", { src: "https://shop.example/assets/app.js" }],
  ["a copy", { src: "https://shop.example/vendor/cardlane/v1.js" }],
])("the origin is unknown in %s", (_, script) => {
  expect(originOf(script)).toBeNull();
});

test("an insecure page or one without an origin gets no form", () => {
  expect(pageMistake({ origin: "https://shop.example", isSecureContext: true })).toBeNull();
  expect(pageMistake({ origin: "http://localhost:5173", isSecureContext: true })).toBeNull();
  expect(pageMistake({ origin: "http://shop.example", isSecureContext: false })?.text).toMatch(
    /^http:\/\/shop\.example is not secure/,
  );
  expect(pageMistake({ origin: "null", isSecureContext: true })?.text).toMatch(/no origin/);
});

const element = { nodeType: 1, append() {} };
const root = {
  querySelector(selector: string) {
    if (selector === "#payment") return element;
    if (selector.startsWith("#")) return null;
    throw new SyntaxError("not a selector");
  },
} as unknown as ParentNode;

test("an element can be passed directly or by its selector", () => {
  expect(findElement("#payment", root)).toBe(element);
  expect(findElement(element, root)).toBe(element);
});

test.each([
  ["#paymnet", /Nothing in the page matches "#paymnet".*DOMContentLoaded/],
  ["%", /"%" is not a CSS selector/],
  [null, /needs an element or a selector such as "#payment", and got null/],
  [undefined, /got undefined/],
  [{ current: element }, /Pass ref\.current, in an effect/],
  [{ nodeType: 9 }, /needs an element/],
])("%o can't hold a form, and the error says why", (target, says) => {
  expect(findElement(target, root)).toMatchObject({ topic: "mount", text: expect.stringMatching(says) });
});
