import type { Sql } from "@/db/client";
import { insertRequestErrors, type RequestErrorRow } from "@/db/queries/request-errors";
import { keepableText } from "@/lib/contract/card-numbers";

export type RequestError = RequestErrorRow;

const MAX_TEXT = 1_000;

/** Keeps what was refused or failed. Texts may quote what a caller sent, so card numbers in them are masked. */
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

const keepable = (text: string) => keepableText(text, MAX_TEXT);
