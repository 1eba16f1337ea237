import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { type Attack, attacksOn, collectExpressions, type Expression } from "./expressions";

type Pattern = Pick<Expression, "pattern" | "flags">;

const expressions = collectExpressions(fileURLToPath(new URL("../..", import.meta.url)));
/** Ends any match: `.`, `\s` and `$` each fail somewhere in it. */
const END = "\u0001\n\u0001";
/**
 * Increasing lengths, so that backtracking is caught while it is cheap: first 2^n, then n³, then n². Linear
 * expressions use a small part of each limit.
 */
const STAGES = [
  { length: 22, limitMs: 6 },
  { length: 300, limitMs: 10 },
  { length: 1_000, limitMs: 10 },
  { length: 4_000, limitMs: 10 },
  { length: 32_000, limitMs: 25 },
];
const MEGABYTE = { length: 1_000_000, limitMs: 1_000 };
const TRIES = 3;

/**
 * CPU time in ms to find every match in a text of this length; the best of several tries if over the limit.
 */
function cost(expression: RegExp, { start, pump }: Attack, { length, limitMs }: { length: number; limitMs: number }) {
  const text = start + pump.repeat(Math.ceil(length / pump.length)) + END;
  let best = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES && best > limitMs && (tries === 0 || best < limitMs * TRIES); tries++) {
    const before = process.cpuUsage();
    text.replace(expression, "");
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

type Worst = Attack & { length: number; ms: number };

/** The slowest input relative to its length, and if it is too slow. */
function worstOf({ pattern, flags }: Pattern): Worst & { isSlow: boolean } {
  const expression = new RegExp(pattern, `${flags.replace(/[gy]/g, "")}g`);
  let worst: Worst = { start: "", pump: "a", length: 0, ms: -1 };
  for (const attack of attacksOn({ pattern, flags })) {
    let ms = 0;
    for (const stage of STAGES) {
      ms = cost(expression, attack, stage);
      if (ms > stage.limitMs) return { ...attack, length: stage.length, ms, isSlow: true };
    }
    if (ms > worst.ms) worst = { ...attack, length: 0, ms };
  }
  const ms = cost(expression, worst, MEGABYTE);
  return { ...worst, length: MEGABYTE.length, ms, isSlow: ms > MEGABYTE.limitMs };
}

test("every regular expression reads a megabyte of its worst input in linear time", {
  timeout: 120_000,
}, () => {
  expect(expressions.length).toBeGreaterThan(200);
  const slow = expressions.flatMap((expression) => {
    const { isSlow, ...worst } = worstOf(expression);
    return isSlow ? [{ ...expression, ...worst }] : [];
  });
  expect(slow).toEqual([]);
});

test("expressions are found in every kind of file", () => {
  const files = new Set(expressions.map(({ file }) => file.split("/")[0]));
  for (const folder of ["app", "components", "db", "lib"]) expect(files).toContain(folder);
  expect(expressions.some(({ file, pattern }) => file === "lib/log.ts" && pattern.startsWith("postgres"))).toBe(true);
});

test.each([
  ['postgres(ql)?:\\/\\/[^@\\s"]+@', "g"],
  ["\\s+$", ""],
  ["^(?:a+)+c$", ""],
  ["^x(?:b+)+c$", ""],
  ["^(?:a|.)*$", ""],
  ["^[^@]+@(?:\\w+\\.?)+$", ""],
  [".*\\d", "s"],
  ["(#.*)x", "g"],
  ["^\\s*a?\\s*b?\\s*$", ""],
])("an expression that backtracks is caught: %s", (pattern, flags) => {
  expect(worstOf({ pattern, flags })).toMatchObject({ isSlow: true });
});
