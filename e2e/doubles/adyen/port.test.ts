import { afterAll, expect, test } from "vitest";
import { memoryJournal } from "../../fixtures/memory-journal";
import { callsTo } from "../../port-suite/calls";
import { portSuite } from "../../port-suite/suite";
import { startAdyenDouble } from "./api";
import { adyenUnderTest } from "./under-test";

/** Adyen doesn't document its response to another body under a used key; the connector must handle both. */
for (const otherBody of ["as before", "refused"] as const) {
  const double = await startAdyenDouble({ otherBody, pages: "https://pages.adyen.example/threeDS/redirect" });
  afterAll(() => double.stop());
  portSuite(`Adyen, another body under a used key is ${otherBody}`, adyenUnderTest(double, memoryJournal()));
}

test("a challenge's outcome keeps Adyen's reference, even if an earlier call crashed before it", async () => {
  const double = await startAdyenDouble({ pages: "https://pages.adyen.example/threeDS/redirect" });
  afterAll(() => double.stop());
  const tested = adyenUnderTest(double, memoryJournal());
  const calls = callsTo(tested);
  const charge = await calls.authorization("challenged");
  const asked = await tested.processor.authorize(charge);
  if (asked.kind !== "action_required") throw new Error(`it was answered ${asked.kind}`);
  const redirectResult = double.answerChallenge(asked.challenge.url, false);
  const request = { ...calls.continuation(charge, "failed"), returned: { redirectResult } };
  const dead = { ...request, keep: () => Promise.reject(new Error("the service is gone")) };
  await expect(tested.processor.continueAuthorization(dead)).rejects.toThrow("gone");
  expect(charge.payment.kept).toEqual([]);
  expect(await tested.processor.continueAuthorization(request)).toMatchObject({ kind: "declined" });
  expect(charge.payment.kept).toMatchObject([{ kind: "payment" }]);
});
