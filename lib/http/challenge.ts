import { AppError } from "@/lib/contract/errors";
import { continuePayment } from "@/lib/domain/payments/continue-payment";
import { type Challenge, findChallenge } from "@/lib/domain/payments/find-challenge";
import { currentService } from "./current-service";
import type { HostedPageOptions } from "./hosted-page";
import { readBody } from "./parse";

const MAX_FORM_BYTES = 1_024;

/** The 3-D Secure challenge behind the token in its page's address; null when there is none. */
export function challengeOf(token: string): Promise<Challenge | null> {
  return findChallenge(currentService().service, token);
}

/** Whether the challenge is shown within the payment form: so its address says, for not every browser does. */
export const isFramed = (request: Request): boolean =>
  new URL(request.url).searchParams.has("framed") || request.headers.get("sec-fetch-dest") === "iframe";

/** Where the answer is posted. */
export const resultPath = (token: string, framed: boolean): string =>
  `/challenge/${token}/result${framed ? "?framed" : ""}`;

/** Who may embed a challenge: our payment form, in the pages that may embed that. One of the API's own is a page by itself. */
export function challengePageOptions({ allowedOrigins }: Challenge): HostedPageOptions {
  // Its answer leads to the merchant's address, and on to wherever that leads: browsers hold redirects to the policy, too.
  return { frameAncestors: allowedOrigins === null ? [] : ["'self'", ...allowedOrigins], formsLeave: true };
}

/**
 * Takes the shopper's answer to a challenge (form field `result`: passed, failed or abandoned) and sends the browser back to
 * the merchant, or, within the payment form and without a return URL, to the page, which then shows the outcome. A second
 * answer changes nothing.
 */
export async function answerChallenge(request: Request, token: string): Promise<Response> {
  const { service } = currentService();
  const challenge = await findChallenge(service, token);
  // Only the sandbox's shopper says how the challenge ended; a live one is between the card issuer and the processor.
  if (challenge?.environment.mode !== "test") return new Response("There is no such challenge.", { status: 404 });
  const result = await readResult(request).catch(tooLarge);
  if (!result) return new Response("Send result=passed, result=failed or result=abandoned.", { status: 400 });
  // A suspended merchant takes no money, however far its shoppers have come.
  const taken = challenge.suspended ? "abandoned" : result;
  await continuePayment(service, challenge.environment, challenge.paymentId, taken);
  return new Response(null, {
    status: 303,
    headers: {
      Location: isFramed(request) ? `/challenge/${token}?framed` : (challenge.returnUrl ?? `/challenge/${token}`),
      "Cache-Control": "no-store",
    },
  });
}

const RESULTS = ["passed", "failed", "abandoned"] as const;

async function readResult(request: Request): Promise<(typeof RESULTS)[number] | null> {
  if (!request.headers.get("content-type")?.startsWith("application/x-www-form-urlencoded")) return null;
  const result = new URLSearchParams(await readBody(request, MAX_FORM_BYTES)).get("result");
  return RESULTS.find((one) => one === result) ?? null;
}

function tooLarge(error: unknown): null {
  if (error instanceof AppError) return null;
  throw error;
}
