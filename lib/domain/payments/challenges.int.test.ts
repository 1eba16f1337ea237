import { describe, expect, onTestFinished, test } from "vitest";
import { adyenTenant } from "@/e2e/doubles/adyen/tenant";
import { testDatabase } from "@/e2e/fixtures/database";
import { eventsAsTold } from "@/e2e/fixtures/events";
import { decodeId } from "@/lib/contract/ids";
import { findChallenge, returnFromChallenge } from "./challenges";
import { challengeUrl } from "./processor-calls";

const { db } = await testDatabase();

/** A payment with a challenge at the bank, and the page that its shopper returns to. */
async function challenged() {
  const tenant = await adyenTenant(db, onTestFinished);
  const { body } = await tenant.pay({}, "4000000000003220");
  const { environmentId, service } = tenant;
  const paymentId = decodeId("payment", body.id) ?? "";
  const page = challengeUrl(service, { environmentId, paymentId });
  const challenge = await findChallenge(service, page.slice(page.lastIndexOf("/") + 1));
  if (!challenge) throw new Error("the page is there");
  return {
    ...tenant,
    id: body.id as string,
    url: body.next_action.redirect_to_url.url as string,
    expiresAt: body.next_action.expires_at as string,
    comeBack: (query: string) => returnFromChallenge(service, challenge, new URLSearchParams(query)),
  };
}

describe("the page of a challenge at the bank", () => {
  test.each(["x=1", "MD=1&PaRes=2", "redirectResult=", "=1", ""])(
    "that is opened with the meaningless %j changes nothing, however often",
    async (query) => {
      const { comeBack, operations, get, id, environmentId, expiresAt } = await challenged();
      const told = async () => (await eventsAsTold(db, environmentId)).map(({ event }) => event.id);
      const before = await told();
      for (let times = 0; times < 5; times++) await comeBack(query);
      expect(await operations(id)).toHaveLength(1);
      expect(await told()).toEqual(before);
      expect(await get(id)).toMatchObject({ status: "REQUIRES_ACTION", next_action: { expires_at: expiresAt } });
    },
  );

  test("continues once with the parameters that the shopper brings back", async () => {
    const { comeBack, double, operations, get, id, url } = await challenged();
    const redirectResult = double.answerChallenge(url, true);
    const query = `x=1&redirectResult=${encodeURIComponent(redirectResult)}`;
    await Promise.all([comeBack(query), comeBack(query), comeBack("x=1")]);
    expect(await get(id)).toMatchObject({ status: "CAPTURED" });
    expect(await operations(id)).toHaveLength(2);
  });

  test("continues without them once the processor reports that the challenge was passed", async () => {
    const { comeBack, double, get, id, url, post } = await challenged();
    double.answerChallenge(url, true);
    const [payment] = double.books.payments.values();
    if (payment) double.books.finish(payment);
    for (const message of double.messages()) await post(message);
    await comeBack("");
    expect(await get(id)).toMatchObject({ status: "CAPTURED" });
  });
});
