import { afterAll } from "vitest";
import { startAdyenDouble } from "@/e2e/doubles/adyen/api";
import { adyenUnderTest } from "@/e2e/doubles/adyen/under-test";
import { memoryJournal } from "../journal";
import { portSuite } from "../port-suite";

/** Adyen does not say how it answers another body under a used key: the connector is right with either. */
for (const otherBody of ["as before", "refused"] as const) {
  const double = await startAdyenDouble({ otherBody, pages: "https://pages.adyen.example/threeDS/redirect" });
  afterAll(() => double.stop());
  portSuite(`Adyen, another body under a used key is ${otherBody}`, adyenUnderTest(double, memoryJournal()));
}
