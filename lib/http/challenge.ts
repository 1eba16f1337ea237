import { AppError } from "@/lib/contract/errors";
import { continuePayment } from "@/lib/domain/payments/continue-payment";
import { type Challenge, findChallenge } from "@/lib/domain/payments/find-challenge";
import { currentService } from "./current-service";
import { readBody } from "./parse";

const MAX_FORM_BYTES = 1_024;

/** The 3-D Secure challenge behind the token in its page's address; null when there is none. */
export function challengeOf(token: string): Promise<Challenge | null> {
  return findChallenge(currentService().service, token);
}

/**
 * Takes the shopper's answer to a challenge (form field `result`: passed or failed) and sends the browser back to the
 * merchant, or to the page, which then shows the outcome. A second answer changes nothing.
 */
export async function answerChallenge(request: Request, token: string): Promise<Response> {
  const { service } = currentService();
  const challenge = await findChallenge(service, token);
  // Only the sandbox's shopper says how the challenge ended; a live one is between the card issuer and the processor.
  if (challenge?.environment.mode !== "test") return new Response("There is no such challenge.", { status: 404 });
  const result = await readResult(request).catch(tooLarge);
  if (!result) return new Response("Send result=passed or result=failed.", { status: 400 });
  await continuePayment(service, challenge.environment, challenge.paymentId, result);
  return new Response(null, {
    status: 303,
    headers: { Location: challenge.returnUrl ?? `/challenge/${token}`, "Cache-Control": "no-store" },
  });
}

async function readResult(request: Request): Promise<"passed" | "failed" | null> {
  if (!request.headers.get("content-type")?.startsWith("application/x-www-form-urlencoded")) return null;
  const result = new URLSearchParams(await readBody(request, MAX_FORM_BYTES)).get("result");
  return result === "passed" || result === "failed" ? result : null;
}

function tooLarge(error: unknown): null {
  if (error instanceof AppError) return null;
  throw error;
}
