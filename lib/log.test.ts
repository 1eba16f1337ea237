import { expect, test } from "vitest";
import { createLogger, scrub } from "./log";
import { CREDENTIAL_NAMES } from "./processor/credential-names";

function logged(write: (log: ReturnType<typeof createLogger>) => void): string {
  let text = "";
  const destination = {
    write(line: string) {
      text += line;
    },
  };
  write(createLogger({ level: "info", destination }));
  return text;
}

test("fields that hold secrets are redacted at any depth", () => {
  const line = logged((log) =>
    log.info(
      { password: "hunter22", body: { card: { number: "1" }, cvv: "s3c" }, headers: { "x-api-key": "k3y" } },
      "a request",
    ),
  );
  for (const secret of ["hunter22", "s3c", "k3y"]) expect(line).not.toContain(secret);
  expect(JSON.parse(line)).toMatchObject({ level: "info", msg: "a request", password: "[redacted]" });
});

test.each(CREDENTIAL_NAMES)("a processor's %s is redacted at any depth", (name) => {
  const line = logged((log) => log.info({ [name]: "canary", of: { [name]: "canary", at: { [name]: "canary" } } }, "x"));
  expect(line).not.toContain("canary");
});

test.each(["4242424242424242", "4242 4242 4242 4242", "3782-822463-10005"])(
  "a card number in a message (%s) is masked",
  (number) => {
    expect(logged((log) => log.warn(`paid with ${number} today`))).toContain("paid with [card number] today");
  },
);

test.each(["\n", "_", "-", ".", "=", "x", "3 ", "12-"])("a card number right after %j is masked", (before) => {
  for (const number of ["4242424242424242", "4242 4242 4242 4242", "3782-822463-10005"]) {
    const line = logged((log) => log.warn(`${before}${number}`));
    expect(line).toContain("[card number]");
    expect(line).not.toContain(number.slice(-4));
    expect(JSON.parse(line).level).toBe("warn");
  }
});

test("API keys and database passwords in a message are redacted", () => {
  const line = logged((log) =>
    log.error(new Error("with\nsk_test_7Gu9n2BtalYMCw08hcL17ZbiT4J8wYrG2qP9Ig at postgres://me:pass@host/db")),
  );
  expect(line).not.toMatch(/7Gu9n2B|me:pass/);
  expect(line).toContain("sk_test_[redacted]");
});

test("ids, times and amounts are left unchanged", () => {
  const line = '{"time":"2026-11-20T13:14:18.255Z","id":"pay_01m7wh60c8emnvz6p8amxd2cz2","amount":123456789012}';
  expect(scrub(line)).toBe(line);
});

test.each([
  { status: 4242424242424242 },
  { list: [4242424242424242, "x"] },
  { parts: ["4242", "4242", "4242", "4242"] },
  { parts: [42424242, "42424242"] },
  { key: "4242424242424242 123" },
  { key: '4242\\u0034242\\\\4242 4242 "' },
  { "4242 4242 4242 4242": { path: "/v1/4242/4242/4242/4242" } },
])("a line with a card number is masked and stays valid JSON: %j", (details) => {
  const line = `${JSON.stringify({ level: "warn", time: "2026-11-22T04:00:00.000Z", ...details, msg: "a refusal" })}\n`;
  const written = scrub(line);
  expect(JSON.parse(written)).toMatchObject({ level: "warn", time: "2026-11-22T04:00:00.000Z" });
  expect(written.endsWith("\n")).toBe(true);
  expect(written.replace(/\D/g, "")).not.toContain("4242424242424");
});
