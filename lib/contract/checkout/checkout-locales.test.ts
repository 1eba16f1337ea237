import { expect, test } from "vitest";
import { checkoutLocale } from "./checkout";

test.each([
  ["de", "de"],
  ["pt-BR", "pt"],
  ["nl-NL,fr;q=0.7,de;q=0.9", "de"],
  ["*, ar;q=0.1", "ar"],
  ["de;q=0, es;q=0.2", "es"],
  ["ja", "en"],
  ["", "en"],
  [null, "en"],
  [";;,,=", "en"],
])("%s is parsed as %s", (wanted, locale) => expect(checkoutLocale(wanted)).toBe(locale));
