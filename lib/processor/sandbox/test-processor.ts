import { afterAll } from "vitest";
import { ROLES } from "@/db/client";
import { connectSandboxStore } from "@/db/queries/sandbox/processor";
import { systemTimer } from "@/lib/clock";
import { newId } from "@/lib/ids";
import { createSecret } from "@/lib/secret";
import { testDatabase } from "@/lib/testing/database";
import { CALLED } from "@/lib/testing/scripted-processor";
import type { AuthorizeRequest, FollowUpRequest } from "../port";
import { createSandboxProcessor } from "../sandbox";

/** A sandbox processor on a database of the test file's own, and short words for its calls. */
export async function testProcessor() {
  const { url } = await testDatabase({ max: 2 });
  const sql = connectSandboxStore({ url, role: ROLES.sandbox }, 20);
  afterAll(() => sql.end());

  const slept: number[] = [];
  const processor = createSandboxProcessor({
    sql,
    secret: createSecret("a secret that only the tests know!!"),
    clock: { now: () => new Date("2026-11-20T12:00:00.000Z") },
    timer: { ...systemTimer, wait: async (ms) => void slept.push(ms) },
  });
  const soon = () => new Date(Date.now() + 60_000);

  return {
    processor,
    sql,
    /** The requested waits, in milliseconds. */
    slept,
    async authorization(
      number: string,
      request: Partial<AuthorizeRequest> & { expYear?: number } = {},
    ): Promise<AuthorizeRequest> {
      const { expYear = 2099, ...rest } = request;
      const cvv = number.startsWith("37") ? "1234" : "123";
      const account = rest.account ?? newId();
      const { token } = await processor.tokenize(account, { number, exp_month: 12, exp_year: expYear, cvv });
      return {
        ...CALLED,
        reference: newId(),
        account,
        notAfter: soon(),
        token,
        amount: 10_000,
        currency: "USD",
        capture: false,
        customerEmail: null,
        billingAddress: null,
        ...rest,
      };
    },
    followUp: (charge: AuthorizeRequest, amount: number, request: Partial<FollowUpRequest> = {}): FollowUpRequest => ({
      ...CALLED,
      reference: newId(),
      account: charge.account,
      authorization: charge.reference,
      notAfter: soon(),
      amount,
      currency: charge.currency,
      reason: null,
      ...request,
    }),
    async stored(charge: { reference: string }) {
      const [row] = await sql<{ outcome: string; amount_captured: number; amount_refunded: number; voided: boolean }[]>`
        select outcome, amount_captured, amount_refunded, voided from sandbox_processor.charges
        where reference = ${charge.reference}`;
      return row ?? null;
    },
  };
}
