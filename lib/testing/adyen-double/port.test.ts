import { afterAll } from "vitest";
import { portSuite } from "@/lib/processor/port-suite";
import { memoryJournal } from "../memory-journal";
import { startAdyenDouble } from "./api";
import { adyenUnderTest } from "./under-test";

/** Adyen does not say how it answers another body under a used key: the connector is right with either. */
for (const otherBody of ["as before", "refused"] as const) {
  const double = await startAdyenDouble({ otherBody, pages: "https://pages.adyen.example/threeDS/redirect" });
  afterAll(() => double.stop());
  portSuite(`Adyen, another body under a used key is ${otherBody}`, adyenUnderTest(double, memoryJournal()));
}
