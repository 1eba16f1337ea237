import type { KeyDetail } from "@/lib/contract/dashboard/idempotency-key";
import { AppError } from "@/lib/contract/errors";
import type { Context } from "../context";
import { findIdempotencyKey } from "./find-idempotency-key";

/** The same as `findIdempotencyKey`; throws `resource_not_found` when the environment has no such key. */
export async function getIdempotencyKey(ctx: Context, input: { key: string }): Promise<KeyDetail> {
  const found = await findIdempotencyKey(ctx, input);
  if (found) return found;
  throw new AppError(
    "resource_not_found",
    "There is no such idempotency key in this environment. Keys are kept for a day.",
  );
}
