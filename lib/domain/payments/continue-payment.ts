import { newId } from "@/lib/ids";
import type { ContinueRequest } from "@/lib/processor/port";
import type { Environment, Service } from "../context";
import { type Execution, execute } from "./execute";

/**
 * Goes on with a payment once its 3-D Secure challenge has ended, exactly once: the first caller moves it from
 * REQUIRES_ACTION to PENDING, any later one is refused.
 */
export function continuePayment(
  service: Service,
  environment: Pick<Environment, "id" | "mode">,
  paymentId: string,
  challenge: ContinueRequest["challenge"],
): Promise<Execution> {
  return execute(service, {
    ...{ id: newId(), environment, kind: "continue", paymentId, detail: challenge },
    ...{ claim: null, amount: null, refund: null, allowed: true },
  });
}
