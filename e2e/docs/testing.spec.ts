import { readFileSync } from "node:fs";
import { expect, test } from "../fixtures/playwright";
import { has, shell } from "./reader";

const PAGE = readFileSync("components/docs/testing.mdx", "utf8");

const commandOf = (title: string, baseUrl: string) => {
  const code = new RegExp(`title="${title}"\n(.*?)\n\`\`\``, "s").exec(PAGE)?.[1];
  if (!code) throw new Error(`the page has no ${title}`);
  return code.replaceAll("http://localhost:3000", baseUrl);
};

if (has("curl") && has("bash")) {
  test("the command that advances the test clock works as copied", async ({ baseUrl, tenant }) => {
    const { secret } = await tenant.newKey({ permissions: ["test_clock.write"] });
    const answer = shell(`${commandOf("Advance the test clock", baseUrl)} -s`, { CARDLANE_KEY: secret });
    expect(JSON.parse(answer)).toMatchObject({ object: "test_clock", status: "ADVANCING" });
  });
}
