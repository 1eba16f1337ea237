import { readFileSync } from "node:fs";
import { expect, test } from "../fixtures/playwright";
import { has, shell } from "./reader";

const PAGE = readFileSync("components/docs/guide.mdx", "utf8");

function commandOf(title: string, baseUrl: string): string {
  const code = new RegExp(`title="${title}"\n(.*?)\n\`\`\``, "s").exec(PAGE)?.[1];
  if (!code) throw new Error(`the page has no ${title}`);
  return code.replaceAll("http://localhost:3000", baseUrl);
}

if (["curl", "bash"].every(has))
  test("the guide's commands store a card, charge it, and remove it", async ({ tenant, baseUrl }) => {
    const { secret } = await tenant.newKey({
      permissions: ["payment.create", "payment_method.read", "payment_method.write"],
    });
    const env: Record<string, string> = { CARDLANE_KEY: secret };
    const run = (title: string) => JSON.parse(shell(`${commandOf(title, baseUrl)} --silent`, env));
    const stored = run("Store a card");
    expect(stored).toMatchObject({ object: "payment_method", status: "ACTIVE", customer_id: "cus_1042" });
    expect(run("Store the card of a payment")).toMatchObject({
      status: "CAPTURED",
      initiator: null,
      payment_method_id: expect.stringMatching(/^pm_/),
    });
    env.METHOD = stored.id;
    expect(run("Charge the stored card")).toMatchObject({ payment_method_id: stored.id, initiator: "merchant" });
    expect(run("Remove the stored card")).toMatchObject({ id: stored.id, status: "REMOVED" });
  });
