import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Webhook } from "standardwebhooks";
import { afterEach, expect, it } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { testService } from "@/e2e/fixtures/factories";
import { openReceiver } from "@/e2e/fixtures/webhooks";
import { startHost } from "@/e2e/proof/host";
import { createMerchant } from "@/lib/domain/accounts/business";
import { newId } from "@/lib/ids";
import { main } from "./listen";

const { db, url } = await testDatabase({ own: true });
const service = testService(db);
const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) {
    const ended = once(child, "exit");
    if (child.exitCode === null && child.kill("SIGKILL")) await ended;
  }
});

/** `npm run listen` in its own process. */
function listen(...options: string[]) {
  const child = spawn(process.execPath, ["--import", "tsx", "scripts/listen.ts", ...options], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
    });
  }
  return { printed: () => printed };
}

it("forwards only the chosen event types, signed like webhooks, and resumes after the service is killed", async () => {
  const { test_key: key } = await createMerchant(service, { name: "Shop", email: `${newId()}@shop.example` });
  const receiver = await openReceiver();
  const first = await startHost({ databaseUrl: url });
  const createPlan = async (baseUrl: string, name: string, status = "DRAFT") => {
    const answer = await fetch(`${baseUrl}/v1/subscription-plans`, {
      method: "POST",
      headers: { "X-Api-Key": key, "Content-Type": "application/json" },
      body: JSON.stringify({ type: "ONE_TIME", name, currency: "USD", full_price_amount: 5, status }),
    });
    expect(answer.status).toBe(201);
    return ((await answer.json()) as { id: string }).id;
  };
  const options = ["--key", key, "--url", first.baseUrl, "--forward", receiver.url];
  const { printed } = listen(...options, "--types", "subscription_plan.*");
  await expect.poll(printed, { timeout: 60_000 }).toContain("Ready");
  const secret = /Signing secret: (whsec_\S+)/.exec(printed())?.[1] ?? "";

  const id = await createPlan(first.baseUrl, "First");
  await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBe(1);
  await first.kill("SIGKILL");
  const second = await startHost({ databaseUrl: url, port: first.port });
  try {
    const again = await createPlan(second.baseUrl, "Second");
    await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBe(2);
    const events = receiver.received.map(({ body, headers }) => new Webhook(secret).verify(body, headers));
    expect(events).toMatchObject([{ data: { object: { id } } }, { data: { object: { id: again } } }]);
    await expect
      .poll(() => printed().match(/subscription_plan\.created {2}evt_\w+ {2}→ 200 {2}\d+ ms/g)?.length)
      .toBe(2);
    expect(printed()).toContain("Trying again.");
  } finally {
    await second.kill("SIGKILL");
    await receiver.close();
  }
}, 120_000);

it("explains an invalid option in one sentence", async () => {
  const cases = [
    [["--types", "payment.paid"], "There is no event type 'payment.paid'."],
    [["--types", "transaction.*,payments.*"], "There is no event type 'payments.*'."],
    [["--secret", "abc", "--key", "sk_test_x"], "--secret must start with whsec_"],
    [["--key", "sk_live_x"], "This is a live key"],
  ] as const;
  for (const [options, words] of cases) {
    let printed = "";
    const write = (text: string) => (printed += text);
    expect(await main([...options], { stdout: { write }, stderr: { write } })).toBe(2);
    expect(printed).toContain(words);
    expect(printed).toContain("Usage: npm run listen");
  }
});
