import { expect } from "vitest";
import type { Database } from "@/db/client";
import { decodeId } from "@/lib/contract/ids";
import { processReport } from "@/lib/domain/payments/process-reports";
import { recoverOperations } from "@/lib/domain/payments/recover-operations";
import { connectProcessor } from "@/lib/domain/processors/connections";
import { ownToken } from "@/lib/processor/adyen/tokens";
import type { PushedReports, ReportMessage } from "@/lib/processor/port";
import { connectingTenant } from "../../fixtures/connections";
import { skippingTimer } from "../../fixtures/factories";
import { type AdyenDoubleOptions, startAdyenDouble } from "./api";
import { adyenAt, messageOf } from "./under-test";

/** A merchant that has connected Adyen in its sandbox environment, with its own double. */
export async function adyenTenant(
  db: Database,
  atTheEnd: (stop: () => Promise<void>) => void,
  { timeoutMs, tokens }: { timeoutMs?: number; tokens?: AdyenDoubleOptions["tokens"] } = {},
) {
  const pages = "https://pages.adyen.example/threeDS/redirect";
  const double = await startAdyenDouble({ pages, ...(tokens && { tokens }) });
  atTheEnd(() => double.stop());
  // Skips the 2 s that a repeated request waits for a pending one.
  const timer = skippingTimer();
  const tenant = await connectingTenant(db, { connectors: [adyenAt(double, timeoutMs)], timer }, { timer });
  const connection = await connectProcessor(tenant.owner(), {
    processor: "adyen",
    label: "Adyen",
    credentials: {
      api_key: double.apiKey,
      merchant_account: double.merchantAccount,
      hmac_key: double.hmacKey,
      tokens_hmac_key: double.tokensKey,
    },
  });
  const reporter = await tenant.service.processors.reporter(decodeId("connection", connection.id) ?? "");
  if (!reporter) throw new Error("a connection reports");
  const reports = reporter.processor.reports as PushedReports;
  /** Delivers a message as Adyen does; false means it must be resent. */
  async function post(body: string | ReportMessage): Promise<boolean> {
    let taken = true;
    for (const report of await reports.read(typeof body === "string" ? messageOf(body) : body))
      taken = (await processReport(tenant.service, reporter as never, report)) && taken;
    return taken;
  }
  return {
    ...tenant,
    double,
    connection: connection.id,
    post,
    /** Like `post`, but the process dies after storing the message and before processing it. */
    keep: async (body: string) => reports.read(messageOf(body)),
    /** Decides pending requests at Adyen and posts all messages. */
    async decide(): Promise<void> {
      double.books.decide();
      for (const body of double.messages()) expect(await post(body)).toBe(true);
    },
    token: async () => ownToken(double.encrypt(cardOf("4242424242424242"))),
    pay: (body: object = {}, number = "4242424242424242", asked: { key?: string } = {}) =>
      tenant.create({ payment_token: ownToken(double.encrypt(cardOf(number))), ...body }, asked),
    async books() {
      const [payment] = [...double.books.payments.values()].slice(-1);
      return payment && { captured: payment.captured, refunded: payment.refunded, voided: payment.voided };
    },
    endAll: async () => {
      await tenant.endLeases();
      await recoverOperations(tenant.service);
    },
  };
}

const cardOf = (number: string) => ({ number, expiryMonth: "12", expiryYear: "2040", cvc: "123" });

export type AdyenTenant = Awaited<ReturnType<typeof adyenTenant>>;
