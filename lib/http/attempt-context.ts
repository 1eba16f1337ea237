import type { Context } from "@/lib/domain/context";
import { idempotencyOf, NOT_FROM_HEADER } from "./idempotency";

/**
 * The call under an idempotency key that stands in its body as `attempt`: the page mints one when a form opens, so that a
 * double click and a retry are the same request. It is no key of the merchant's own requests.
 */
export function attemptContext(ctx: Context, { attempt, ...body }: { attempt: string }): Context {
  const request = { environmentId: ctx.environment.id, method: "POST", path: ctx.request.path, body };
  return { ...ctx, idempotency: idempotencyOf(ctx.service.secret, `${NOT_FROM_HEADER}dashboard:${attempt}`, request) };
}
