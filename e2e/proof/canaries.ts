import { randomInt } from "node:crypto";
import { SANDBOX_CARDS } from "@/lib/contract/sandbox-cards";
import { canaryNumber, type Secret } from "./card-data-search";

/** Card data that exists nowhere else, each named for the path it is sent by: a find then says which path leaks. */
export class Canaries {
  readonly secrets: Secret[] = [];
  /** Those of three digits: four can be the end of any number, which may be kept. */
  readonly codes: string[] = [];

  #add(secret: Secret): string {
    this.secrets.push(secret);
    return secret.text;
  }

  number(path: string, length = 16, prefix = "4"): string {
    return this.#add({ name: `number: ${path}`, text: canaryNumber(randomInt, length, prefix), kind: "number" });
  }

  /** With its last digit mistyped: refused, and all but a card number. */
  mistyped(path: string): string {
    const number = canaryNumber(randomInt);
    const wrong = number.slice(0, -1) + String((Number(number.at(-1)) + 1) % 10);
    return this.#add({ name: `mistyped number: ${path}`, text: wrong, kind: "number" });
  }

  code(path: string, length = 3): string {
    // The start-up shows a payment to try out, with the code 123.
    const others = new Set(["123", ...this.codes]);
    let code = "";
    while (code === "" || others.has(code)) code = String(randomInt(10 ** (length - 1), 10 ** length));
    if (length === 3) this.codes.push(code);
    return this.#add({ name: `code: ${path}`, text: code, kind: "code" });
  }

  /** No card has it, so that it can be looked for by itself. */
  longCode(path: string): string {
    return this.#add({ name: `long code: ${path}`, text: canaryNumber(randomInt, 12, "9"), kind: "text" });
  }

  /** A card that the sandbox declines, for nobody has it. */
  card(path: string, overrides: object = {}) {
    return { number: this.number(path), exp_month: 12, exp_year: 2040, cvv: this.code(path), ...overrides };
  }

  /** One that the sandbox knows, with a code of ours. */
  sandboxCard(path: string, number: string) {
    return { number, exp_month: 12, exp_year: 2040, cvv: this.code(path, number.startsWith("37") ? 4 : 3) };
  }
}

/** The sandbox's own cards: public, and yet no reason to be written down. */
export const SANDBOX_NUMBERS: readonly Secret[] = SANDBOX_CARDS.map(({ number, behaviour }) => ({
  name: `sandbox card: ${behaviour}`,
  text: number,
  kind: "number",
}));
