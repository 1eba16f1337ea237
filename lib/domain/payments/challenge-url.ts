import { encodeId } from "@/lib/contract/ids";
import type { Service } from "../context";

/**
 * Address of the page where a shopper passes the sandbox's 3-D Secure challenge. The code in it proves that we gave it
 * out, so nobody can answer a challenge by guessing a payment's id.
 */
export function challengeUrl(service: Service, payment: { environmentId: string; paymentId: string }): string {
  const subject = challengeSubject(payment);
  return `${service.baseUrl}/challenge/${subject}.${service.secret.mac("challenge", subject)}`;
}

/** What the code at the end of the address proves. */
export function challengeSubject({ environmentId, paymentId }: { environmentId: string; paymentId: string }): string {
  return `${encodeId("environment", environmentId)}.${encodeId("payment", paymentId)}`;
}
