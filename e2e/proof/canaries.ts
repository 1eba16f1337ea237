import { randomInt } from "node:crypto";
import { SANDBOX_CARDS } from "@/lib/contract/sandbox-cards";
import { canaryNumber, type Secret } from "./card-data-search";
import { madeSpelling, PLAIN, type Random, type Spelling, someNetwork, type Written } from "./card-spellings";

/** A card number in one spelling, with the plain number and the security code that belong to it. */
export type Spelled = { readonly text: string; readonly number: string; readonly code: string };

const textOf = ({ front, number, back }: Written) => front + number + back;

/** Tries before falling back to the plain spelling, for places that accept few spellings. */
const TRIES = 200;

/** Security codes have three digits, so codes repeat beyond this many. */
const MAX_CODES = 300;

/**
 * Card data that exists nowhere else, named for the path it is sent by, so that a find shows which path
 * leaks.
 */
export class Canaries {
  readonly secrets: Secret[] = [];
  readonly #random: Random;

  constructor(random: Random = randomInt) {
    this.#random = random;
  }

  /** Three-digit codes only: a four-digit code can equal the last four of any number, which may be kept. */
  readonly codes: string[] = [];

  #add(secret: Secret): string {
    this.secrets.push(secret);
    return secret.text;
  }

  number(path: string, length = 16, prefix = "4"): string {
    return this.#add({ name: `number: ${path}`, text: canaryNumber(this.#random, length, prefix), kind: "number" });
  }

  /** A number with its last digit mistyped: refused, but still nearly a card number. */
  mistyped(path: string): string {
    const number = canaryNumber(this.#random);
    const wrong = number.slice(0, -1) + String((Number(number.at(-1)) + 1) % 10);
    return this.#add({ name: `mistyped number: ${path}`, text: wrong, kind: "number" });
  }

  code(path: string, length = 3): string {
    if (length === 3 && this.codes.length === MAX_CODES) return this.codes[this.#random(MAX_CODES)] as string;
    // The start-up message shows a sample payment with the code 123.
    const others = new Set(["123", ...this.codes]);
    const first = 10 ** (length - 1);
    let code = "";
    while (code === "" || others.has(code)) code = String(first + this.#random(10 ** length - first));
    if (length === 3) this.codes.push(code);
    return this.#add({ name: `code: ${path}`, text: code, kind: "code" });
  }

  /** A 12-digit code that no card has, so it can be searched for on its own. */
  longCode(path: string): string {
    return this.#add({ name: `long code: ${path}`, text: canaryNumber(this.#random, 12, "9"), kind: "text" });
  }

  /** A number of some network in a spelling this place accepts. */
  spelled(path: string, takes: (text: string) => boolean = () => true): Spelled {
    const code = this.code(path);
    const { number, spelling } = this.#spelling((one, of) => takes(textOf(one.write(of, code))));
    const written = spelling.write(number, code);
    this.#add({ name: `${path}, written ${spelling.name}`, text: number, kind: "number", written });
    return { text: textOf(written), number, code };
  }

  /** Each try has another number: no spelling of a long one may fit the place. */
  #spelling(fits: (spelling: Spelling, number: string) => boolean): { number: string; spelling: Spelling } {
    for (let tries = 0; tries < TRIES; tries++) {
      const number = canaryNumber(this.#random, ...someNetwork(this.#random));
      const spelling = madeSpelling(this.#random);
      if (fits(spelling, number)) return { number, spelling };
    }
    return { number: canaryNumber(this.#random), spelling: PLAIN };
  }

  /** A card with an unknown number, which the sandbox declines. */
  card(path: string, overrides: object = {}) {
    return { number: this.number(path), exp_month: 12, exp_year: 2040, cvv: this.code(path), ...overrides };
  }

  /** A card that the sandbox knows, with one of our codes. */
  sandboxCard(path: string, number: string) {
    return { number, exp_month: 12, exp_year: 2040, cvv: this.code(path, number.startsWith("37") ? 4 : 3) };
  }
}

/** The sandbox's own cards: public, but still must not be stored. */
export const SANDBOX_NUMBERS: readonly Secret[] = SANDBOX_CARDS.map(({ number, behavior }) => ({
  name: `sandbox card: ${behavior}`,
  text: number,
  kind: "number",
}));
