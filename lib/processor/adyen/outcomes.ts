import { z } from "zod";
import type { DeclineCode } from "@/lib/contract/errors";
import { AVS_RESULTS, type AvsResult, CVV_RESULTS, type CvvResult } from "@/lib/contract/payments/words";
import type { KnownCard } from "../cards";
import type { Checks, Outcome } from "../port";
import { refusesAmount } from "./amounts";
import type { AdyenResponse } from "./requests";
import { brandOf } from "./tokens";

/** Fields of a response to `/payments` and `/payments/details`. */
export const paymentResponse = z.object({
  resultCode: z.string(),
  pspReference: z.string().optional(),
  merchantReference: z.string().optional(),
  refusalReason: z.string().optional(),
  refusalReasonCode: z.string().optional(),
  action: z.object({ type: z.string(), url: z.string().optional(), method: z.string().optional() }).optional(),
  fraudResult: z
    .object({
      accountScore: z.number(),
      results: z.array(z.looseObject({ accountScore: z.number().optional(), name: z.string().optional() })).optional(),
    })
    .optional(),
  additionalData: z.record(z.string(), z.string().nullish()).optional(),
});
export type PaymentResponse = z.infer<typeof paymentResponse>;

/** Additional data kept in the journal: what outcomes need, and only the card's last digits. */
const KEPT_DATA = new Set([
  "avsResult",
  "avsResultRaw",
  "cvcResult",
  "cvcResultRaw",
  "refusalReasonRaw",
  "merchantAdviceCode",
  "authCode",
  "cardBin",
  "cardSummary",
  "expiryDate",
  "paymentMethod",
  "tokenization.storedPaymentMethodId",
]);

export function storedResponse(response: PaymentResponse): PaymentResponse {
  const data = Object.entries(response.additionalData ?? {}).filter(([name]) => KEPT_DATA.has(name));
  return { ...response, additionalData: Object.fromEntries(data) };
}

/** By Adyen's refusal reason code. Others are `generic_decline`. */
const DECLINE_CODES: Readonly<Record<string, DeclineCode>> = {
  "4": "processing_error",
  "6": "expired_card",
  "8": "incorrect_number",
  "9": "processing_error",
  "11": "authentication_failed",
  "12": "insufficient_funds",
  "14": "fraud_suspected",
  "15": "authentication_failed",
  "16": "authentication_failed",
  "20": "fraud_suspected",
  "22": "fraud_suspected",
  "24": "incorrect_cvv",
  "31": "fraud_suspected",
  "38": "authentication_failed",
  "39": "authentication_failed",
  "42": "authentication_failed",
};
/** Network codes that are more specific than Adyen's reason. */
const RAW_CODES: Readonly<Record<string, DeclineCode>> = {
  "41": "lost_card",
  "43": "stolen_card",
  "51": "insufficient_funds",
  "54": "expired_card",
};
/** By the reason's text, because webhooks have no code. */
const DECLINE_TEXTS: readonly (readonly [RegExp, DeclineCode])[] = [
  [/not enough balance|insufficient/i, "insufficient_funds"],
  [/stolen/i, "stolen_card"],
  [/lost/i, "lost_card"],
  [/expired/i, "expired_card"],
  [/cvc|security code/i, "incorrect_cvv"],
  [/invalid card number/i, "incorrect_number"],
  [/3d|authentication|sca required/i, "authentication_failed"],
  [/fraud/i, "fraud_suspected"],
  [/acquirer error|issuer unavailable|communication/i, "processing_error"],
];
/** Request errors that only the shopper's card data can cause. */
const CARD_ERRORS: Readonly<Record<string, DeclineCode>> = {
  "101": "incorrect_number",
  "102": "processing_error",
  "103": "incorrect_cvv",
  "129": "expired_card",
  "130": "processing_error",
  "140": "expired_card",
  "141": "expired_card",
  "142": "expired_card",
  "174": "processing_error",
  "800": "processing_error",
  "803": "processing_error",
  "14_017": "processing_error",
};

export const declineCodeOfError = (code: string | null): DeclineCode | null => CARD_ERRORS[code ?? ""] ?? null;

/**
 * The outcome of a payment response. `captured`: requested with the payment, in which case Adyen captures by
 * itself.
 */
export function outcomeOfResponse(response: PaymentResponse): Outcome {
  const checks = checksOf(response);
  const card = cardOf(response);
  const details = { ...(checks && { checks }), ...(card && { card }), note: noteOf(response) };
  switch (response.resultCode) {
    case "Authorised":
      return { kind: "approved", ...details };
    case "Refused":
    case "Error":
    case "Cancelled":
      return { kind: "declined", decline_code: declineCodeOf(response), ...details };
    case "RedirectShopper": {
      const { type, url, method = "GET" } = response.action ?? { type: "none" };
      if (type !== "redirect" || !url || method !== "GET")
        return {
          kind: "unknown",
          final: true,
          reason: "Adyen sends the shopper elsewhere in a way that this service cannot follow",
        };
      return { kind: "action_required", challenge: { url }, ...details };
    }
    case "Pending":
    case "Received":
      return { kind: "pending" };
    default:
      return { kind: "unknown", reason: `Adyen answered ${response.resultCode}`, final: true };
  }
}

function declineCodeOf({ resultCode, refusalReasonCode, refusalReason, additionalData }: PaymentResponse): DeclineCode {
  if (resultCode === "Error") return "processing_error";
  const raw = /^\s*(\d{2})\b/.exec(additionalData?.refusalReasonRaw ?? "")?.[1];
  const known = RAW_CODES[raw ?? ""] ?? DECLINE_CODES[refusalReasonCode ?? ""];
  if (known) return known;
  return resultCode === "Cancelled" ? "authentication_failed" : declineCodeOfReason(refusalReason ?? "");
}

export function declineCodeOfReason(reason: string): DeclineCode {
  return DECLINE_TEXTS.find(([pattern]) => pattern.test(reason))?.[1] ?? "generic_decline";
}

/** Adyen's own codes and the network's, in one line for support staff. */
function noteOf({ resultCode, refusalReason, refusalReasonCode, additionalData: data = {} }: PaymentResponse): string {
  const said = [
    resultCode,
    refusalReason && `${refusalReason}${refusalReasonCode ? ` (${refusalReasonCode})` : ""}`,
    data.refusalReasonRaw && `network: ${data.refusalReasonRaw}`,
    data.merchantAdviceCode && `advice: ${data.merchantAdviceCode}`,
    data.authCode && `authorization code: ${data.authCode}`,
  ];
  return `Adyen: ${said.filter(Boolean).join(", ")}`;
}

/**
 * Maps Adyen's AVS result, whose first word is a number. The network's raw letter is preferred. 19, 21, 23
 * and 25 compare the name and one part of the address; 22 compares only the name.
 */
const AVS: Readonly<Record<string, AvsResult>> = {
  "1": "A",
  "2": "N",
  "3": "U",
  "4": "S",
  "5": "U",
  "6": "Z",
  "7": "Y",
  "8": "U",
  "9": "B",
  "10": "N",
  "11": "U",
  "12": "B",
  "13": "N",
  "14": "P",
  "15": "P",
  "16": "N",
  "17": "N",
  "18": "U",
  "19": "P",
  "20": "Y",
  "21": "B",
  "23": "P",
  "24": "Y",
  "25": "B",
  "26": "N",
};
const CVC: Readonly<Record<string, CvvResult>> = { "1": "M", "2": "N", "3": "P", "4": "S", "5": "U", "6": "P" };

const numberOf = (text: string | null | undefined) => /^\s*(\d{1,2})/.exec(text ?? "")?.[1] ?? "";
const isAvs = (letter: string): letter is AvsResult => letter in AVS_RESULTS;
const isCvv = (letter: string): letter is CvvResult => letter in CVV_RESULTS;

function checksOf({ additionalData: data = {}, fraudResult }: PaymentResponse): Checks | null {
  const { avsResultRaw = "", cvcResultRaw = "" } = data;
  const avs = avsResultRaw && isAvs(avsResultRaw) ? avsResultRaw : (AVS[numberOf(data.avsResult)] ?? null);
  const cvv = cvcResultRaw && isCvv(cvcResultRaw) ? cvcResultRaw : (CVC[numberOf(data.cvcResult)] ?? null);
  if (!avs && !cvv && !fraudResult) return null;
  const score = fraudResult ? Math.max(0, Math.min(100, fraudResult.accountScore)) : null;
  const rules = (fraudResult?.results ?? []).filter(({ accountScore = 0 }) => accountScore > 0);
  const reasons = rules.map(({ name = "" }) => name).filter(Boolean);
  return { avs_result: avs, cvv_result: cvv, fraud_score: score, fraud_reasons: reasons.slice(0, 20) };
}

/** Card data in the additional data, if the account's settings include it. */
function cardOf({ additionalData: data = {} }: PaymentResponse): KnownCard | null {
  const expiry = /^(\d{1,2})\/(\d{4})$/.exec(data.expiryDate ?? "");
  const brand = brandOf(data.paymentMethod ?? undefined);
  const bin = /^\d{6,8}$/.test(data.cardBin ?? "") ? (data.cardBin ?? null) : null;
  const last4 = /^\d{4}$/.test(data.cardSummary ?? "") ? (data.cardSummary ?? null) : null;
  if (!expiry && !brand && !bin && !last4) return null;
  const [, month = null, year = null] = expiry ?? [];
  return { brand, bin, last4, exp_month: month && Number(month), exp_year: year && Number(year) } as KnownCard;
}

/** The outcome of a call that moved no money. */
export function outcomeOfFailure(response: Exclude<AdyenResponse, { kind: "answered" | "refused" }>): Outcome {
  switch (response.kind) {
    case "busy":
      return { kind: "unknown", reason: "Adyen is still working on the same request" };
    case "not_executed":
      return { kind: "not_sent", reason: response.reason };
    case "unknown":
      return { kind: "unknown", reason: response.reason };
    default:
      return response satisfies never;
  }
}

export const REFUSED = { kind: "declined", decline_code: null } as const satisfies Outcome;
export const refusedAmount = ({ amount, currency }: { amount: number; currency: string }) => ({
  ...REFUSED,
  refusal: refusesAmount(amount, currency) ?? "Adyen takes no such amount.",
});
export const refusedBy = ({ message }: Refusal) => ({ ...REFUSED, note: message, refusal: message });

export type Refusal = Extract<AdyenResponse, { kind: "refused" }>;
/** The end of a call with a key: Adyen's final response, or an outcome without one. */
export type Settled = Extract<AdyenResponse, { kind: "answered" | "refused" }> | { kind: "settled"; outcome: Outcome };
