import { systemClock } from "@/lib/clock";
import { ADYEN } from "@/lib/processor/adyen/connector";
import { createAdyenProcessor } from "@/lib/processor/adyen/processor";
import type { Connector } from "@/lib/processor/connector";
import type { Journal } from "@/lib/processor/journal";
import type { PushedReports } from "@/lib/processor/port";
import { type ProcessorUnderTest, testCard } from "../../port-suite/calls";
import type { AdyenDouble } from "./api";

/** The connector for a connection to a double. */
export function connectorOf(
  double: Pick<AdyenDouble, "url" | "apiKey" | "hmacKey" | "tokensKey" | "merchantAccount">,
  journal: Journal,
  { name = "adyen", timeoutMs = 2_000, rawCards = true } = {},
) {
  const credentials = {
    api_key: double.apiKey,
    merchant_account: double.merchantAccount,
    hmac_key: double.hmacKey,
    tokens_hmac_key: double.tokensKey,
  };
  return createAdyenProcessor({
    name,
    credentials,
    settings: { live: false, rawCards, metadataKeys: [] },
    timeoutMs,
    journal,
    clock: systemClock,
    endpoint: double.url,
  });
}

export const messageOf = (body: string) => ({ headers: new Headers({ "Content-Type": "application/json" }), body });

/** Everything the port suite needs to control at a double. */
export function adyenUnderTest(double: AdyenDouble, journal: Journal): ProcessorUnderTest {
  let olderMs = 0;
  const aging: Journal = {
    ...journal,
    older: (name, than, limit) => journal.older(name, new Date(than.getTime() + olderMs), limit),
  };
  const processor = connectorOf(double, aging);
  const reports = processor.reports as PushedReports;
  let told: string[] = [];
  /** Delivers messages immediately after a decision: the connector has no other way to learn of it. */
  async function tell(): Promise<void> {
    told = double.messages();
    for (const body of told) await reports.read(messageOf(body));
  }
  return {
    processor,
    cards: {
      approved: testCard("4242424242424242"),
      declined: testCard("4000000000009995"),
      challenged: testCard("4000000000003220"),
      refundComesBack: testCard("4000000000005126"),
    },
    async money(reference) {
      const payment = double.books.byReference(reference);
      return payment && { captured: payment.captured, refunded: payment.refunded, voided: payment.voided };
    },
    async decide() {
      double.books.decide();
      await tell();
    },
    async giveBack() {
      double.books.giveBack();
      await tell();
    },
    answerChallenge: async (url, passed) => void double.answerChallenge(url, passed),
    returned: (url) => ({ redirectResult: double.answerChallenge(url, true) }),
    messages: async () => told.map(messageOf),
    forged: (message) =>
      [
        [/"success":"(true|false)"/, (_: string, was: string) => `"success":"${was === "true" ? "false" : "true"}"`],
        [/"value":(\d+)/, (_: string, value: string) => `"value":${Number(value) + 1}`],
        [/"currency":"USD"/, () => '"currency":"EUR"'],
        [/"eventCode":"[A-Z_]+"/, () => '"eventCode":"CAPTURE"'],
        [/"pspReference":"."/, () => '"pspReference":"X"'],
        [/"pspReference":"(.)/, (_: string, first: string) => `"pspReference":"${first === "X" ? "Y" : "X"}`],
        [/"merchantReference":"/, () => '"merchantReference":"0'],
        [/"hmacSignature":"[^"]+"/, () => '"hmacSignature":""'],
        [/"live":"false"/, () => '"live":"true"'],
        [/"merchantAccountCode":"[^"]+"/, () => '"merchantAccountCode":"AnotherShopECOM"'],
      ].flatMap(([pattern, by]) => {
        const body = message.body.replace(pattern as RegExp, by as never);
        return body === message.body ? [] : [{ ...message, body }];
      }),
    unusedCards: {
      count: async () => [...double.stored.values()].filter(({ models }) => models.includes("CardOnFile")).length,
      async age() {
        olderMs = 2 * 3_600_000;
      },
    },
    recordsFirst: true,
  };
}

/** The Adyen connector as merchants use it, pointed at a double. */
export const adyenAt = (double: AdyenDouble, timeoutMs?: number): Connector => ({
  ...ADYEN,
  create: (options) => ADYEN.create({ ...options, endpoint: double.url, timeoutMs: timeoutMs ?? options.timeoutMs }),
});
