import { describe, expect, it } from "vitest";
import { CHECKOUT_LOCALES } from "@/lib/contract/checkout/checkout";
import { directionOf, termsText, textsOf, withoutTrialText } from "./texts";

type Leaf = [path: string, text: unknown];

/** Every text with its path; functions are called with numbers and names as in the form. */
function leaves(value: unknown, path = ""): Leaf[] {
  if (typeof value === "function") {
    const counted = /attemptsLeft|problemsFound/.test(path);
    const calls = counted ? [1, 2, 3, 4, 5].map((count) => [count]) : [["$12.34", "Acme"]];
    return calls.map((given, at) => [`${path}#${at}`, (value as (...all: unknown[]) => unknown)(...given)]);
  }
  if (typeof value !== "object" || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([name, member]) => leaves(member, `${path}.${name}`));
}

const keys = (locale: (typeof CHECKOUT_LOCALES)[number]) => leaves(textsOf(locale)).map(([path]) => path);

describe.each(CHECKOUT_LOCALES)("texts in %s", (locale) => {
  it("has every text that English has, and no other", () => {
    expect(keys(locale).toSorted()).toEqual(keys("en").toSorted());
  });

  it("has no empty text, no stray space and no placeholder", () => {
    for (const [path, text] of leaves(textsOf(locale))) {
      expect(text, path).toEqual(expect.any(String));
      expect(text, path).not.toBe("");
      expect(text, path).toBe(String(text).trim());
      expect(text, path).not.toMatch(/undefined|\[object|TODO|\$\{/);
    }
  });

  it("says the amount on the button and the shop's name on the way back", () => {
    expect(textsOf(locale).button.pay("$12.34")).toContain("$12.34");
    expect(textsOf(locale).backTo("Acme")).toContain("Acme");
    expect(textsOf(locale).done.text("$12.34", "Acme")).toMatch(/\$12\.34.*Acme/);
  });

  it("has sentences of its own", () => {
    if (locale === "en") return;
    const english = new Map(leaves(textsOf("en")));
    const own = leaves(textsOf(locale)).filter(([path]) => /problems|notices|closed|status|challenge/.test(path));
    for (const [path, text] of own) expect(text, path).not.toBe(english.get(path));
  });

  it("says one attempt otherwise than several", () => {
    const { attemptsLeft } = textsOf(locale);
    expect(attemptsLeft(1).replace("1", "")).not.toBe(attemptsLeft(2).replace("2", ""));
  });
});

describe("directionOf", () => {
  it("is right to left in Arabic alone", () => {
    expect(CHECKOUT_LOCALES.filter((locale) => directionOf(locale) === "rtl")).toEqual(["ar"]);
  });

  it("keeps a shop's Latin name and the amount apart from an Arabic sentence", () => {
    const text = textsOf("ar").done.text("US$ 12.34", "Acme (Berlin)");
    expect(text).toContain("\u2068US$ 12.34\u2069");
    expect(text).toContain("\u2068Acme (Berlin)\u2069");
  });
});

describe("a plan's terms", () => {
  const monthly = { value: 1, unit: "MONTHS" } as const;
  const plain = { type: "SUBSCRIPTION_NO_TRIAL", price: 1_999, every: monthly, trial: null, trialPrice: null } as const;
  const say = (locale: (typeof CHECKOUT_LOCALES)[number], terms: object) =>
    termsText({ terms: { ...plain, ...terms }, currency: "EUR" }, locale)?.replaceAll(/[\u00a0\u202f]/g, " ");
  const trial = { every: { value: 2, unit: "WEEKS" }, trial: { value: 14, unit: "DAYS" }, trialPrice: 100 };

  it.each([
    ["en", "€19.99 every month", "€1.00 for 14 days, then €19.99 every 2 weeks"],
    ["de", "19,99 € jeden Monat", "1,00 € für 14 Tage, danach 19,99 € alle 2 Wochen"],
    ["fr", "19,99 € chaque mois", "1,00 € pour 14 jours, puis 19,99 € toutes les 2 semaines"],
    ["es", "19,99 € cada mes", "1,00 € por 14 días; después, 19,99 € cada 2 semanas"],
    ["pt", "€ 19,99 por mês", "€ 1,00 por 14 dias; depois, € 19,99 a cada 2 semanas"],
  ] as const)("are said in %s", (locale, regular, withTrial) => {
    expect(say(locale, {})).toBe(regular);
    expect(say(locale, trial)).toBe(withTrial);
  });

  it("are said in Arabic with its own plurals, and amounts apart", () => {
    expect(say("ar", trial)).toMatch(/^\u2068.*\u2069 لمدة 14 يومًا، ثم \u2068.*\u2069 كل أسبوعان|أسبوعين$/);
    expect(say("ar", {})).toContain("كل شهر");
  });

  it("say that a free trial is not included, of no other plan", () => {
    const say = (terms: object) => withoutTrialText({ terms: { ...plain, ...terms } }, "en");
    expect(say({ trial: trial.trial })).toBe(textsOf("en").terms.withoutTrial);
    expect(say(trial)).toBeNull();
    expect(say({})).toBeNull();
  });

  it("are not said of what is paid once", () => {
    expect(termsText({ terms: { ...plain, type: "ONE_TIME", every: null }, currency: "EUR" }, "en")).toBeNull();
    expect(termsText({ terms: null, currency: "EUR" }, "en")).toBeNull();
  });
});
