import { setTimeout as wait } from "node:timers/promises";
import type { AdyenDouble } from "./api";

const PAUSE_MS = 25;
const ANSWER_MS = 5_000;

/**
 * Runs Adyen: decides pending requests, and posts each message until it is accepted, some of them twice.
 * `stop` waits for pending work.
 */
export function deliverWebhooks(double: AdyenDouble, address: () => string): { stop(): Promise<void> } {
  let stopped = false;
  let count = 0;
  const waiting = new Set<string>();
  async function post(body: string): Promise<void> {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const request = { method: "POST", headers: { "Content-Type": "application/json" }, body, signal };
    // Resend if the receiver is gone, for example after a crash.
    const accepted = await fetch(address(), request).then(
      ({ ok }) => ok,
      () => false,
    );
    if (accepted) waiting.delete(body);
  }
  const working = (async () => {
    while (!stopped) {
      double.books.decide();
      for (const body of double.messages()) waiting.add(body);
      const some = [...waiting].slice(0, 16);
      await Promise.all([...some, ...some.filter(() => count++ % 5 === 0)].map(post));
      await wait(PAUSE_MS);
    }
  })();
  return {
    async stop() {
      stopped = true;
      await working;
    },
  };
}
