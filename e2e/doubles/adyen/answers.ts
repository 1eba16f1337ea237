import { AUTH_CODE, methodOf, newPsp, type Payment } from "./books";
import type { DoubleAnswer } from "./http-server";

/** Every response repeats its reference in a header. */
export function json(status: number, body: object, headers = {}): DoubleAnswer {
  const { pspReference = newPsp() } = body as { pspReference?: string };
  return { status, headers: { pspreference: pspReference, ...headers }, body: JSON.stringify(body) };
}

/** Unreadable or unauthenticated requests get an error without a reference. */
export function error(
  status: number,
  errorCode: string,
  message: string,
  errorType = "validation",
  headers = {},
): DoubleAnswer {
  const named = status === 400 || status === 401 ? {} : { pspReference: newPsp() };
  return json(status, { status, errorCode, message, errorType, ...named }, headers);
}

export const TRANSIENT = { "transient-error": "true" };
/** The response of a proxy in front of Adyen. */
export const OF_A_PROXY: DoubleAnswer = { status: 200, headers: TRANSIENT, body: "<html>It works!</html>" };

/** Adyen's refusal reasons and codes for the sandbox's declines. */
export const REFUSALS: Readonly<Record<string, [string, string]>> = {
  "decline:insufficient_funds": ["Not enough balance", "12"],
  "decline:lost_card": ["Blocked Card", "5"],
  "decline:stolen_card": ["Blocked Card", "5"],
  "decline:expired_card": ["Expired Card", "6"],
  "decline:incorrect_cvv": ["CVC Declined", "24"],
  "decline:incorrect_number": ["Invalid Card Number", "8"],
  "decline:authentication_failed": ["3D Not Authenticated", "11"],
  "decline:fraud_suspected": ["FRAUD", "20"],
  "decline:processing_error": ["Acquirer Error", "4"],
};
/** The card network's own codes. */
const RAW: Readonly<Record<string, string>> = {
  "decline:lost_card": "41 : Lost card",
  "decline:stolen_card": "43 : Stolen card",
  "decline:insufficient_funds": "51 : Insufficient funds",
  "decline:generic_decline": "05 : Do not honor",
};

export function dataOf({ card, behavior, state }: Payment, hasAddress: boolean): Record<string, string> {
  const { number, expiryMonth, expiryYear } = card;
  const known = {
    cardBin: number.slice(0, 6),
    cardSummary: number.slice(-4),
    expiryDate: `${Number(expiryMonth)}/${expiryYear}`,
    paymentMethod: methodOf(number),
  };
  if (state === "challenged") return known;
  const mismatch = behavior === "cvv_no_match" || behavior === "decline:incorrect_cvv";
  const cvc =
    card.cvc === null ? ["6 No CVC/CVV provided", ""] : mismatch ? ["2 Doesn't match", "N"] : ["1 Matches", "M"];
  const avs =
    behavior === "avs_no_match"
      ? ["2 Neither postal code nor address match", "N"]
      : hasAddress
        ? ["7 Both postal code and address match", "Y"]
        : ["5 No AVS data provided", ""];
  return {
    ...known,
    cvcResult: cvc[0] ?? "",
    cvcResultRaw: cvc[1] ?? "",
    avsResult: avs[0] ?? "",
    avsResultRaw: avs[1] ?? "",
    refusalReasonRaw: state === "authorised" ? "AUTHORISED" : (RAW[behavior] ?? "05 : Do not honor"),
    ...(state === "authorised" && { authCode: AUTH_CODE }),
  };
}
