import { expect, test } from "vitest";
import { createLogger } from "./log";

function testLog() {
  const lines: Record<string, unknown>[] = [];
  let text = "";
  let timeMs = 0;
  const destination = {
    write(line: string) {
      text += line;
      lines.push(JSON.parse(line));
    },
  };
  const log = createLogger({ level: "info", destination, now: () => timeMs });
  return { log, lines, text: () => text, pass: (ms: number) => (timeMs += ms) };
}

test("lines of one kind are limited per minute, followed by the number left out", () => {
  const { log, lines, pass } = testLog();
  for (let i = 0; i < 10_000; i++) log.warn({ i }, "next-auth");
  expect(lines).toHaveLength(60);
  log.warn("another kind is not limited");
  expect(lines.at(-1)).toMatchObject({ msg: "another kind is not limited" });
  pass(1_000);
  log.warn("next-auth");
  expect(lines.slice(-2)).toMatchObject([
    { level: "warn", msg: "9940 further lines of this kind were left out", of: "next-auth" },
    { msg: "next-auth" },
  ]);
  pass(60_000);
  for (let i = 0; i < 1_000; i++) log.warn("next-auth");
  expect(lines.length).toBeLessThan(60 + 3 + 61);
});

test("lines that differ only in a caller's input are of one kind, or share the limit of all others", () => {
  const { log, lines } = testLog();
  for (let i = 0; i < 5_000; i++) log.warn(`no such action ${i}`);
  for (let i = 0; i < 5_000; i++) log.error({ err: new Error("x".repeat(i % 50)) });
  for (let i = 0; i < 5_000; i++) log.warn({ source: "console" }, `Error: ${"y".repeat(i % 90)} ${"z".repeat(i % 70)}`);
  expect(lines.length).toBeLessThanOrEqual(600);
  for (let i = 0; i < 50_000; i++) log.warn(String(i).replace(/\d/g, (digit) => "abcdefghij".charAt(Number(digit))));
  expect(lines).toHaveLength(600);
});

test("a line has a bearable length, shows where it was cut, and stays JSON", () => {
  const { log, lines, text } = testLog();
  log.warn({ metadata: "x".repeat(60_000) }, "long member");
  log.warn("y".repeat(60_000));
  log.warn(Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, i])), "many members");
  log.warn({ deep: Array.from({ length: 50 }, () => Array.from({ length: 50 }, () => "z".repeat(900))) }, "deep");
  expect(text().length).toBeLessThan(4 * 16_100);
  expect(lines).toMatchObject([
    { msg: "long member", metadata: expect.stringMatching(/^x{1000}… \[59000 more characters\]$/) },
    { msg: expect.stringMatching(/^y{1000}… \[59000 more characters\]$/) },
    { msg: "many members", "…": expect.stringMatching(/ more$/) },
    { msg: "deep", left_out: expect.stringMatching(/ characters$/) },
  ]);
});
