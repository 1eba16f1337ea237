import { expect, test } from "vitest";
import { frameAddress } from "./frame";

const address = (options: object) =>
  frameAddress("https://pay.example.com", "https://shop.example", { token: "cst_a", ...options });

test("the form gets its page's origin and only the requested options", () => {
  expect(address({})).toBe("https://pay.example.com/pay/cst_a?origin=https%3A%2F%2Fshop.example");
  expect(address({ locale: "auto", mode: undefined, fields: {}, appearance: null })).toBe(address({}));
});

test("mode, language and fields are part of the URL, so that the first paint is right", () => {
  const { searchParams } = new URL(
    address({ mode: "tokenize", locale: "ar", fields: { name: true, postalCode: false }, button: false }),
  );
  expect(Object.fromEntries(searchParams)).toEqual({
    origin: "https://shop.example",
    mode: "tokenize",
    locale: "ar",
    name: "1",
    postal_code: "0",
  });
});
