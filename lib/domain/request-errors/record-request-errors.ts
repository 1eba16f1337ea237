import type { Sql } from "@/db/client";
import { insertRequestErrors, type RequestErrorRow } from "@/db/queries/request-errors";
import { passesLuhn } from "@/lib/contract/payment";

export type RequestError = RequestErrorRow;

/** Twelve to nineteen digits in a row, however they are grouped. */
const LIKE_A_CARD_NUMBER = /\d(?:[ -]?\d){11,18}/g;
const MAX_TEXT = 1_000;

/** Keeps what was refused or failed. Texts may quote what a caller sent, so whatever could be a card number is masked. */
export async function recordRequestErrors(
  service: { db: { sql: Sql } },
  errors: readonly RequestError[],
): Promise<void> {
  if (errors.length === 0) return;
  await insertRequestErrors(
    service.db.sql,
    errors.map((error) => ({
      ...error,
      path: keepable(error.path),
      detail: keepable(error.detail),
      param: error.param === null ? null : keepable(error.param),
    })),
  );
}

function keepable(text: string): string {
  return text
    .slice(0, MAX_TEXT)
    .replaceAll("\u0000", "\uFFFD")
    .toWellFormed()
    .replace(LIKE_A_CARD_NUMBER, (digits) => {
      const bare = digits.replace(/\D/g, "");
      return passesLuhn(bare) ? `••••${bare.slice(-4)}` : digits;
    });
}
