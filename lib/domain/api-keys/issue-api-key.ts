import type { Orm } from "@/db/client";
import type { CreateApiKeyBody, IssuedApiKey } from "@/lib/contract/api-keys/api-keys";
import { AppError, type Problem } from "@/lib/contract/errors";
import { instantOf } from "@/lib/contract/fields";
import type { Context } from "../context";
import { runOnce } from "../idempotency/run-once";
import { checkNewKey, createApiKey, type NewApiKey } from "./create-api-key";
import type { KeyService, ManagedBy } from "./key-service";
import { presentApiKey } from "./present-api-key";

/** Creates a key for a person. Sent again under the same idempotency key it answers the same key, without the secret. */
export async function issueApiKey(ctx: Context, input: Omit<CreateApiKeyBody, "attempt">): Promise<IssuedApiKey> {
  const wanted = {
    name: input.name.trim(),
    permissions: input.permissions,
    expiresAt: input.expires_at === null ? null : instantOf(input.expires_at).toISOString(),
    ipAllowList: input.ip_allow_list,
  };
  checkNewKey(wanted, ctx.service.clock.now());
  return issueOnce(ctx, (service, by) =>
    createApiKey(service, { ...by, ...wanted, environmentId: ctx.environment.id }),
  );
}

/** The stored answer has no secret, not even sealed: it exists in the first answer and nowhere else. */
export async function issueOnce(
  ctx: Context,
  make: (service: KeyService, by: Required<ManagedBy>) => Promise<NewApiKey>,
): Promise<IssuedApiKey> {
  let secret: string | null = null;
  const reply = await runOnce(ctx, { status: 201 }, async (tx: Orm) => {
    const by = { actor: ctx.actor, requestId: ctx.request.id };
    const made = await make({ db: { orm: tx }, clock: ctx.service.clock }, by);
    secret = made.secret;
    return presentApiKey(made.row, ctx.service.clock.now(), null);
  });
  const body = JSON.parse(reply.body);
  if (reply.status === 201) return { api_key: body, secret: reply.replayed ? null : secret };
  // A refusal that the idempotency key has kept.
  const { code, detail, current_status, allowed_actions } = body as Problem;
  throw new AppError(code, detail, { extra: { current_status, allowed_actions } });
}
