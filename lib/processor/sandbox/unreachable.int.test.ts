import { describe, expect, onTestFinished, test } from "vitest";
import { ROLES } from "@/db/client";
import { connectSandboxStore } from "@/db/queries/sandbox/processor";
import { testDatabase } from "@/e2e/fixtures/database";
import { CALLED, inquiry } from "@/e2e/fixtures/scripted-processor";
import { startTcpProxy, type TcpProxy } from "@/e2e/fixtures/tcp-proxy";
import { newId } from "@/lib/ids";
import { createSecret } from "@/lib/secret";
import { createSandboxProcessor } from "../sandbox";

const { db, url } = await testDatabase({ own: true });
const CARD = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvv: "123" };

/** A sandbox whose store can become unreachable. */
async function remote() {
  let proxy: TcpProxy = await startTcpProxy(url);
  const port = Number(new URL(proxy.url).port);
  const sql = connectSandboxStore({ url: proxy.url, role: ROLES.sandbox }, 2);
  const processor = createSandboxProcessor({ sql, secret: createSecret("a secret that only the tests know!!") });
  onTestFinished(async () => {
    await sql.end({ timeout: 0 });
    await proxy.close();
  });
  const account = newId();
  const shared = () => ({
    ...CALLED,
    reference: newId(),
    account,
    notAfter: new Date(Date.now() + 60_000),
    amount: 900,
    currency: "USD",
  });
  const authorization = async () => {
    const { token } = await processor.tokenize(account, CARD);
    return {
      ...shared(),
      token,
      capture: true,
      customerEmail: null,
      billingAddress: null,
      description: null,
      metadata: {},
    };
  };
  return {
    processor,
    authorization,
    refund: (charge: string) => ({ ...shared(), authorization: charge, reason: null }),
    charges: (reference: string) => db.sql`select 1 from sandbox_processor.charges where reference = ${reference}`,
    proxy: () => proxy,
    /** Closes the proxy, and waits until the pool has noticed. */
    async goAway() {
      await proxy.close();
      const answer = () => processor.inquire(inquiry(newId())).then(String, String);
      await expect.poll(answer, { timeout: 10_000 }).toContain("the database is unavailable");
    },
    async comeBack() {
      proxy = await startTcpProxy(url, port);
    },
  };
}

describe("an unreachable processor", () => {
  test("gets the request once if it is back within moments", async () => {
    const far = await remote();
    await far.processor.authorize(await far.authorization());
    await far.goAway();
    const charge = await far.authorization();
    const answer = far.processor.authorize(charge);
    await far.comeBack();
    expect(await answer).toMatchObject({ kind: "approved" });
    expect(await far.charges(charge.reference)).toHaveLength(1);
  });

  test("was provably sent no authorization if it stays away; any other operation is unknown", async () => {
    const far = await remote();
    const charged = await far.authorization();
    expect(await far.processor.authorize(charged)).toMatchObject({ kind: "approved" });
    await far.goAway();
    const charge = await far.authorization();
    const [authorized, refunded] = await Promise.allSettled([
      far.processor.authorize(charge),
      far.processor.refund(far.refund(charged.reference)),
    ]);
    expect(authorized).toMatchObject({ status: "fulfilled", value: { kind: "not_sent" } });
    expect(refunded.status).toBe("rejected");
    expect(await far.charges(charge.reference)).toHaveLength(0);
    await far.comeBack();
  });

  test("whose response is lost is not reported as having done nothing", async () => {
    const far = await remote();
    await far.processor.authorize(await far.authorization());
    const charge = await far.authorization();
    far.proxy().loseAnswers();
    const answer = far.processor.authorize(charge).then(
      ({ kind }) => kind,
      () => "an error",
    );
    await expect.poll(() => far.charges(charge.reference), { timeout: 10_000 }).toHaveLength(1);
    far.proxy().cut();
    expect(await answer).toBe("an error");
  });
});
