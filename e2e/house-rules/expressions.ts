import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type AST, parseRegExpLiteral, visitRegExpAST } from "@eslint-community/regexpp";
import { parseAst } from "vitest/node";

export type Expression = { readonly file: string; readonly pattern: string; readonly flags: string };

/** `public` is left out because it contains only build output of these. */
const FOLDERS = ["app", "components", "db", "lib"];
const FILES = ["proxy.ts", "instrumentation.ts", "next.config.ts"];
const IS_SOURCE = /\.(?:ts|tsx|mjs|js)$/;
const MAY_HOLD_EXPRESSION = /RegExp|[^/*<]\/[^/*\s>]/;
const IS_OTHER = /\.test\.tsx?$|\.d\.ts$/;

/** Every distinct regular expression in our code: literals, and the constant parts of `new RegExp`. */
export function collectExpressions(root: string): Expression[] {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  );
  const found = new Map<string, Expression>();
  for (const file of [...files, ...FILES].filter((name) => IS_SOURCE.test(name) && !IS_OTHER.test(name))) {
    const code = readFileSync(join(root, file), "utf8");
    // Parsing takes most of the time, so skip files that can't contain an expression.
    if (!MAY_HOLD_EXPRESSION.test(code)) continue;
    walk(parseAst(code, { lang: file.endsWith("x") ? "tsx" : "ts" }) as unknown, (node) => {
      const expression = expressionOf(node);
      if (expression) found.set(`/${expression.pattern}/${expression.flags}`, { file, ...expression });
    });
  }
  return [...found.values()];
}

type Node = Record<string, unknown> & { type: string };

function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) for (const each of value) walk(each, visit);
  if (typeof value !== "object" || value === null || !("type" in value)) return;
  visit(value as Node);
  for (const member of Object.values(value)) walk(member, visit);
}

function expressionOf(node: Node): Omit<Expression, "file"> | null {
  if (node.type === "Literal" && node.regex) return node.regex as Omit<Expression, "file">;
  if (node.type !== "NewExpression" || (node.callee as Node).name !== "RegExp") return null;
  const [pattern, flags] = node.arguments as Node[];
  return { pattern: textOf(pattern), flags: flags ? textOf(flags) : "" };
}

/** The constant parts of a runtime pattern, with a letter in place of each variable one. */
function textOf(node: Node | undefined): string {
  if (node?.type === "TemplateLiteral")
    return (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join("x");
  return typeof node?.value === "string" ? node.value : "x";
}

const CHARACTERS = Array.from('a0 -"\\/@_xA.:,;=<&#%$é漢४\n\u0000(){}');
/** Depends on choice and position, so that neighbors vary independently. */
const picked = <T>(among: readonly T[], { start }: AST.Node, choice: number): T | undefined =>
  among[(choice + (choice >> 1) * start) % among.length];
/** Samples per part. */
const CHOICES = 5;
/** Max repetitions of a bounded quantifier in a sample. */
const MOST = 40;

/** An input's prefix, and the part repeated to make it long. */
export type Attack = { readonly start: string; readonly pump: string };

/**
 * Likely worst-case inputs: text that matches a repeated part, after a prefix that matches everything before
 * it, and prefixes of a match of the whole expression.
 */
export function attacksOn({ pattern, flags }: Pick<Expression, "pattern" | "flags">): Attack[] {
  const attacks = new Map<string, Attack>();
  const add = (start: string, pump: string) => {
    if (pump !== "") attacks.set(`${start}\u0000${pump}`, { start, pump });
  };
  const one = new Map<string, string[]>();
  const characters = (element: AST.Element) => {
    const known = one.get(element.raw);
    if (known) return known;
    const expression = new RegExp(`^(?:${element.raw})$`, flags.replace(/[gy]/g, ""));
    const fitting = CHARACTERS.filter((character) => expression.test(character));
    if (fitting.length === 0 && element.type === "Character") fitting.push(String.fromCodePoint(element.value));
    one.set(element.raw, fitting);
    return fitting;
  };
  const sample = (element: AST.Element | AST.Alternative | AST.Pattern, choice: number): string => {
    switch (element.type) {
      case "Pattern":
      case "CapturingGroup":
      case "Group":
        return sample(picked(element.alternatives, element, choice) as AST.Alternative, choice);
      case "Alternative":
        return element.elements.map((each) => sample(each, choice)).join("");
      case "Quantifier":
        return sample(element.element, choice).repeat(Math.min(Math.max(element.min, 1), MOST));
      case "Character":
      case "CharacterSet":
      case "CharacterClass":
      case "ExpressionCharacterClass": {
        return picked(characters(element), element, choice) ?? "";
      }
      default:
        return "";
    }
  };
  /** Text that matches everything required before an element. */
  const before = (element: AST.Node, choice: number): string => {
    const { parent } = element;
    if (!parent) return "";
    if (parent.type !== "Alternative") return before(parent, choice);
    const elements = parent.elements.slice(0, parent.elements.indexOf(element as AST.Element));
    return before(parent, choice) + elements.map((each) => sample(each, choice)).join("");
  };
  const tree = parseRegExpLiteral(`/${pattern}/${flags}`);
  visitRegExpAST(tree, {
    onQuantifierEnter(quantifier) {
      if (quantifier.max <= 3) return;
      for (let choice = 0; choice < CHOICES; choice++) {
        const pump = sample(quantifier.element, choice);
        add("", pump);
        add(before(quantifier, choice), pump);
      }
    },
  });
  // Without repetition nothing is read twice, so one sample is enough.
  for (let choice = 0; choice < (attacks.size > 0 ? CHOICES : 1); choice++) {
    const whole = sample(tree.pattern, choice);
    const lengths =
      whole.length < 16 ? Array.from(whole, (_, at) => at + 1) : [1, 2, 8, whole.length - 1, whole.length];
    for (const length of lengths) add("", whole.slice(0, length));
  }
  return [...attacks.values()];
}
