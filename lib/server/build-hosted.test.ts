import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { sourceHash } from "./build";
import { buildHosted, hostedHash, watchHosted } from "./build-hosted";
import { BuildError } from "./build-output";

const root = mkdtempSync(join(tmpdir(), "cardlane-hosted-"));
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

test("the script and the form are classic scripts without a trace of their sources", async () => {
  await buildHosted(root);
  // In ASCII, whatever the encoding of the page that loads it.
  expect(read("public/sdk/v1.js").toString("latin1")).toMatch(/^\(\(\)=>.*Z\\xFCrich.*\)\(\);\n$/);
  expect(read("public/sdk/frame.js").toString("utf8")).toContain("Zürich");
  expect(read("public/sdk/frame.css").toString("utf8")).toBe("body{color:red}\n");
  expect(read("public/sdk/v1.js").toString()).not.toContain("sourceMappingURL");
});

test("browsers get compressed copies of the same", async () => {
  await buildHosted(root);
  for (const file of ["v1.js", "frame.js", "frame.css"]) {
    expect(brotliDecompressSync(read(`public/sdk/${file}.br`))).toEqual(read(`public/sdk/${file}`));
  }
});

test("the same sources give the same files, which are not written again", async () => {
  await buildHosted(root);
  const [hash, { mtimeMs }] = [hostedHash(root), statSync(join(root, "public/sdk/frame.js"))];
  await buildHosted(root);
  expect(hostedHash(root)).toBe(hash);
  expect(statSync(join(root, "public/sdk/frame.js")).mtimeMs).toBe(mtimeMs);
});

test("what was built is no source, and the types that merchants copy are one", async () => {
  write("public/sdk/v1.d.ts", "export {};");
  const before = sourceHash(root);
  await buildHosted(root);
  expect(sourceHash(root)).toBe(before);
  write("public/sdk/v1.d.ts", "export type X = 1;");
  expect(sourceHash(root)).not.toBe(before);
});

test("a file that is missing or was changed is noticed", async () => {
  expect(hostedHash(root)).toBeNull();
  await buildHosted(root);
  const hash = hostedHash(root);
  write("public/sdk/frame.js.br", "of another build");
  expect(hostedHash(root)).not.toBe(hash);
});

test("an error is the compiler's own words with the place, and leaves the last build as it was", async () => {
  await buildHosted(root);
  const hash = hostedHash(root);
  write("components/checkout/payment-form/main.tsx", 'import { NONE } from "@/lib/contract/word";\nconsole.log(NONE);');
  const error = await buildHosted(root).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(BuildError);
  expect((error as BuildError).message).toMatch(
    /No matching export.*"NONE"[\s\S]*components\/checkout\/payment-form\/main\.tsx:1/,
  );
  expect(hostedHash(root)).toBe(hash);
});

test("a warning counts as an error: nobody reads those of a build that passes", async () => {
  write("components/checkout/payment-form/frame.css", "body { colour; }");
  await expect(buildHosted(root)).rejects.toThrow(BuildError);
});

test("while developing, a change is built as well", async () => {
  const stop = await watchHosted(root);
  write("lib/contract/word.ts", 'export const WORD: string = "Basel";');
  await vi.waitFor(() => expect(read("public/sdk/frame.js").toString()).toContain("Basel"), { timeout: 60_000 });
  await stop();
}, 120_000);
