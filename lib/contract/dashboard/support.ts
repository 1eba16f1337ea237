import { z } from "zod";
import { givenCode } from "@/lib/contract/account-fields";
import type { KeyDetail } from "@/lib/contract/dashboard/idempotency-key";
import { dashboardOperation } from "@/lib/contract/dashboard-operation";
import { humanText, text } from "@/lib/contract/fields";
import { ASK_RESULTS } from "@/lib/contract/support/unknown-outcomes";

/** Why staff do something; it is kept, and the merchant sees it. */
export const staffReason = z
  .string()
  .trim()
  .pipe(humanText(500))
  .describe("Why; it is kept, and the merchant sees it.");

const body = z.strictObject({ reason: staffReason });
const merchantState = z.object({ id: z.string(), suspended: z.boolean() });

export const suspendMerchant = dashboardOperation({
  name: "suspendMerchant",
  method: "POST",
  path: "/api/support/merchants/{id}/suspend",
  permission: null,
  proof: "always",
  body,
  status: 200,
  response: merchantState,
});

export const reinstateMerchant = dashboardOperation({
  name: "reinstateMerchant",
  method: "POST",
  path: "/api/support/merchants/{id}/reinstate",
  permission: null,
  proof: "always",
  body,
  status: 200,
  response: merchantState,
});

export const unlockPerson = dashboardOperation({
  name: "unlockPerson",
  method: "POST",
  path: "/api/support/merchants/{id}/people/{user}/unlock",
  permission: null,
  proof: "always",
  body,
  status: 200,
  response: z.object({ id: z.string() }),
});

/** Finds out now what became of an operation of unknown outcome. */
export const askAgain = dashboardOperation({
  name: "askAgain",
  method: "POST",
  path: "/api/support/operations/{id}/ask-again",
  permission: null,
  proof: "always",
  status: 200,
  response: z.object({
    result: z.enum(ASK_RESULTS),
    /** State of the operation now. */
    state: z.string(),
    /** What the processor last said. */
    last_answer: z.string().nullable(),
  }),
});

/** What became of a request that was sent under a key. */
export const getMerchantKey = dashboardOperation({
  name: "getMerchantKey",
  method: "GET",
  path: "/api/support/environments/{id}/idempotency-key",
  permission: null,
  query: z.strictObject({ key: text(255) }),
  status: 200,
  response: z.custom<KeyDetail>(),
});

/** Proves who acts, for what the other operations here ask for. Staff always have a second factor. */
export const proveStaff = dashboardOperation({
  name: "proveStaff",
  costly: true,
  method: "POST",
  path: "/api/support/proof",
  permission: null,
  body: z.strictObject({ code: givenCode }),
  status: 200,
  response: z.object({ minutes: z.int() }),
});
