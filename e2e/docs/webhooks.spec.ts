import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileFunction } from "node:vm";
import { pickPort } from "@/db/embedded-cluster";
import { getWebhookDelivery, testWebhookEndpoint } from "@/lib/contract/webhooks/endpoints";
import { newSigningKeys, signedHeaders } from "@/lib/webhooks/signature";
import { Cardlane } from "@/packages/node/src/index";
import { test as base, expect } from "../fixtures/playwright";
import { captured, newEndpoint } from "../samples";
import { has, shell } from "./reader";

const PAGE = readFileSync("components/docs/webhooks.mdx", "utf8");

const codeOf = (title: string) => {
  const code = new RegExp(`title="${title}"\n(.*?)\n\`\`\``, "s").exec(PAGE)?.[1];
  if (!code) throw new Error(`the page has no ${title}`);
  return code;
};
/** The command that this service's page shows. */
const commandOf = (title: string, baseUrl: string) => codeOf(title).replaceAll("http://localhost:3000", baseUrl);

type Receiver = { printed(): string; send(headers: Record<string, string>, body: string): Promise<number> };

const test = base.extend<{
  startReceiver: (file: string, program: string, port: number, secret: string) => Promise<Receiver>;
}>({
  startReceiver: async ({ host: _ }, use) => {
    const folder = mkdtempSync(join(tmpdir(), "cardlane-receiver-"));
    const children: ChildProcess[] = [];
    await use(async (file, program, port, secret) => {
      writeFileSync(join(folder, file), codeOf(file));
      const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret };
      const child = spawn(program, [join(folder, file)], { env, stdio: ["ignore", "pipe", "ignore"] });
      children.push(child);
      let printed = "";
      child.stdout.on("data", (piece: Buffer) => {
        printed += piece.toString();
      });
      const send = async (headers: Record<string, string>, body: string) =>
        (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body })).status;
      await expect(async () => expect(await send({}, "")).toBe(400)).toPass();
      return { printed: () => printed, send };
    });
    for (const child of children) {
      const ended = once(child, "exit");
      if (child.exitCode === null && child.kill("SIGKILL")) await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  },
});

for (const [file, program] of [
  ["receiver.mjs", process.execPath],
  ["receiver.py", "python3"],
] as const) {
  if (!has(program)) continue;
  test(`${file}, as copied, accepts only what Cardlane sends`, async ({ api, startReceiver }) => {
    const port = await pickPort();
    const { id, secret } = await newEndpoint(api, { url: `http://127.0.0.1:${port}/` });
    if (secret === null) throw new Error("the response that creates an endpoint shows its secret");
    const receiver = await startReceiver(file, program, port, secret);
    const delivery = (await api.call(testWebhookEndpoint, { id })).ok();
    await expect.poll(receiver.printed).toContain(`${delivery.event_id} webhook_endpoint.test ${id}`);
    const status = async () => (await api.call(getWebhookDelivery, { id: delivery.id })).ok().status;
    await expect.poll(status).toBe("DELIVERED");

    const body = JSON.stringify({ id: "evt_1", type: "payment.captured", data: { object: { id: "pay_1" } } });
    const other = newSigningKeys();
    // Two signatures of one message have the same time.
    const nowSeconds = Math.floor(Date.now() / 1_000);
    const signed = (by = { ...other, secret }, secondsAgo = 0) =>
      signedHeaders({ id: "evt_1", timestampSeconds: nowSeconds - secondsAgo, body }, [by], "v1");
    expect(await receiver.send(signed(), body)).toBe(204);
    // During a rotation both secrets sign.
    const both = `${signed(other)["webhook-signature"]} ${signed()["webhook-signature"]}`;
    expect(await receiver.send({ ...signed(), "webhook-signature": both }, body)).toBe(204);
    expect(await receiver.send(signed(), body.replace("captured", "refunded"))).toBe(400);
    expect(await receiver.send(signed(other), body)).toBe(400);
    expect(await receiver.send(signed(undefined, 301), body)).toBe(400);
  });
}

test("the Next.js route, as copied, accepts only what Cardlane sends", async () => {
  const keys = newSigningKeys();
  const code = codeOf("In a route of Next")
    .replace(/^import .*$/m, "")
    .replace("export async", "return async");
  const env = { WEBHOOK_SECRET: keys.secret };
  const post = compileFunction(code, ["Cardlane", "process", "console"])(Cardlane, { env }, { log() {} });
  const body = JSON.stringify({ id: "evt_1", object: "event", type: "payment.captured" });
  const headers = signedHeaders({ id: "evt_1", timestampSeconds: Math.floor(Date.now() / 1_000), body }, [keys], "v1");
  const answer = async (text: string): Promise<number> =>
    (await post(new Request("http://localhost/webhooks", { method: "POST", headers, body: text }))).status;
  expect([await answer(body), await answer(`${body} `)]).toEqual([204, 400]);
});

if (has("curl") && has("bash")) {
  test("the command that creates an endpoint works as copied", async ({ baseUrl, tenant }) => {
    const { secret } = await tenant.newKey({ permissions: ["webhook_endpoint.write"] });
    // The host name is from the page; the test passes even if this machine can't resolve it.
    const command = `${commandOf("Create an endpoint", baseUrl)} -s -w '\n%{http_code}'`;
    const [, answer = "", status] = /^(.*)\n(\d+)$/s.exec(shell(command, { CARDLANE_KEY: secret })) ?? [];
    if (status === "201") expect(JSON.parse(answer)).toMatchObject({ secret: expect.stringMatching(/^whsec_/) });
    else expect(JSON.parse(answer)).toMatchObject({ detail: expect.stringContaining("could not be looked up") });
  });

  test("the stream shows events as they happen, by the command as copied", async ({ baseUrl, tenant }) => {
    const { secret } = await tenant.newKey({ permissions: ["event.read"] });
    const child = spawn("bash", ["-c", `exec ${commandOf("Follow events", baseUrl)}`], {
      env: { ...process.env, CARDLANE_KEY: secret },
      stdio: ["ignore", "pipe", "ignore"],
    });
    let printed = "";
    child.stdout.on("data", (piece: Buffer) => {
      printed += piece.toString();
    });
    await expect.poll(() => printed).toContain("id: start_");
    const { id } = await captured(tenant.api);
    await expect.poll(() => printed).toMatch(new RegExp(`event: payment.captured\\ndata: .*${id}`));
    const ended = once(child, "exit");
    if (child.kill()) await ended;
  });
}
