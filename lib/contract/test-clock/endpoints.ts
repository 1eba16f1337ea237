import { z } from "zod";
import { BODY_ERRORS, endpoint } from "@/lib/contract/endpoint";
import { instant, timestamp } from "@/lib/contract/fields";

const testClockStatus = z.enum(["READY", "ADVANCING", "FAILED"]);

const testClock = z
  .object({
    object: z.literal("test_clock").describe("Always `test_clock`."),
    now: timestamp.describe("The time in the sandbox."),
    offset_seconds: z.int().describe("How far it is ahead of real time, in whole seconds."),
    status: testClockStatus.describe(
      "`READY`: the clock runs. `ADVANCING`: it is moving, and other writes are refused. `FAILED`: it stopped on its way, and runs on from there; you can advance it again.",
    ),
    advancing_to: timestamp.nullable().describe("Where it is moving to; null unless it is `ADVANCING`."),
    failure_reason: z.string().nullable().describe("Why it stopped; null unless it is `FAILED`."),
  })
  .meta({ id: "TestClock" });
export type TestClock = z.infer<typeof testClock>;

/** Years that one call may advance the clock. */
export const MAX_ADVANCE_YEARS = 2;

const advanceTestClockBody = z
  .strictObject({
    to: instant.describe(`Later than the clock's \`now\`, by at most ${MAX_ADVANCE_YEARS} years.`),
  })
  .meta({ id: "AdvanceTestClockBody" });
export type AdvanceTestClockBody = z.infer<typeof advanceTestClockBody>;

export const getTestClock = endpoint({
  name: "getTestClock",
  method: "GET",
  path: "/v1/test-clock",
  tag: "Test clock",
  summary: "Get the test clock",
  description: "The time in the sandbox. Live mode has no test clock.",
  permissions: ["test_clock.write"],
  idempotency: "none",
  status: 200,
  response: testClock,
  errors: [],
});

export const advanceTestClock = endpoint({
  name: "advanceTestClock",
  method: "POST",
  path: "/v1/test-clock/advance",
  tag: "Test clock",
  summary: "Advance the test clock",
  description:
    "Moves the sandbox's time forward. Everything that time decides happens in order, each at its own instant: trials end, subscriptions renew, declined invoices are retried, authorizations and client sessions expire, transactions settle, payouts arrive. Poll the clock until it is `READY`; until then other writes are refused with 409 `clock_advancing`. The clock never goes back.",
  permissions: ["test_clock.write"],
  idempotency: "none",
  body: advanceTestClockBody,
  status: 202,
  response: testClock,
  errors: [...BODY_ERRORS, "clock_advancing"],
});
