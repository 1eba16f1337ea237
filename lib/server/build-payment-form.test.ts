import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { sourceHash } from "./build";
import { BuildError } from "./build-output";
import { buildPaymentForm, paymentFormHash, watchPaymentForm } from "./build-payment-form";

const root = mkdtempSync(join(tmpdir(), "cardlane-payment-form-"));
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const read = (path: string) => readFileSync(join(root, path));

beforeEach(() => {
  rmSync(root, { recursive: true, force: true });
  write("tsconfig.json", '{ "compilerOptions": { "paths": { "@/*": ["./*"] } } }');
  write("lib/contract/word.ts", 'export const WORD: string = "Zürich";');
  write(
    "lib/client/checkout/sdk/v1.ts",
    'import { WORD } from "@/lib/contract/word";\nObject.assign(window, { WORD });',
  );
  write(
    "components/checkout/payment-form/main.tsx",
    'import { WORD } from "@/lib/contract/word";\ndocument.title = WORD;',
  );
  write("components/checkout/payment-form/frame.css", "body {\n  color: #ff0000;\n}");
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

test("the script and the form are classic scripts that reveal no sources", async () => {
  await buildPaymentForm(root);
  // ASCII only, because the page that loads it may use any encoding.
  expect(read("public/sdk/v1.js").toString("latin1")).toMatch(/^\(\(\)=>.*Z\\xFCrich.*\)\(\);\n$/);
  expect(read("public/sdk/frame.js").toString("utf8")).toContain("Zürich");
  expect(read("public/sdk/frame.css").toString("utf8")).toBe("body{color:red}\n");
  expect(read("public/sdk/v1.js").toString()).not.toContain("sourceMappingURL");
});

test("each file has identical compressed copies", async () => {
  await buildPaymentForm(root);
  for (const file of ["v1.js", "frame.js", "frame.css"]) {
    expect(brotliDecompressSync(read(`public/sdk/${file}.br`))).toEqual(read(`public/sdk/${file}`));
  }
});

test("the same sources give the same files, which are not rewritten", async () => {
  await buildPaymentForm(root);
  const [hash, { mtimeMs }] = [paymentFormHash(root), statSync(join(root, "public/sdk/frame.js"))];
  await buildPaymentForm(root);
  expect(paymentFormHash(root)).toBe(hash);
  expect(statSync(join(root, "public/sdk/frame.js")).mtimeMs).toBe(mtimeMs);
});

test("build output does not count as a source, but the types that merchants copy do", async () => {
  write("public/sdk/v1.d.ts", "export {};");
  const before = sourceHash(root);
  await buildPaymentForm(root);
  expect(sourceHash(root)).toBe(before);
  write("public/sdk/v1.d.ts", "export type X = 1;");
  expect(sourceHash(root)).not.toBe(before);
});

test("a missing or changed file is detected", async () => {
  expect(paymentFormHash(root)).toBeNull();
  await buildPaymentForm(root);
  const hash = paymentFormHash(root);
  write("public/sdk/frame.js.br", "of another build");
  expect(paymentFormHash(root)).not.toBe(hash);
});

test("an error shows the compiler's message and position, and keeps the last build", async () => {
  await buildPaymentForm(root);
  const hash = paymentFormHash(root);
  write("components/checkout/payment-form/main.tsx", 'import { NONE } from "@/lib/contract/word";\nconsole.log(NONE);');
  const error = await buildPaymentForm(root).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(BuildError);
  expect((error as BuildError).message).toMatch(
    /No matching export.*"NONE"[\s\S]*components\/checkout\/payment-form\/main\.tsx:1/,
  );
  expect(paymentFormHash(root)).toBe(hash);
});

test("a warning fails the build, because warnings of a passing build go unread", async () => {
  write("components/checkout/payment-form/frame.css", "body { colour; }");
  await expect(buildPaymentForm(root)).rejects.toThrow(BuildError);
});

test("in watch mode, a change triggers a build", async () => {
  const stop = await watchPaymentForm(root);
  write("lib/contract/word.ts", 'export const WORD: string = "Basel";');
  await vi.waitFor(() => expect(read("public/sdk/frame.js").toString()).toContain("Basel"), { timeout: 60_000 });
  await stop();
}, 120_000);
