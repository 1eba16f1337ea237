import type { IssuedApiKey, RotateApiKeyBody } from "@/lib/contract/api-keys/api-keys";
import type { Context } from "../context";
import { issueOnce } from "./issue-api-key";
import { rotateApiKey } from "./rotate-api-key";

/** Rotates a key for a person: a new secret with the same settings. Repeated, it answers as {@link issueOnce} says. */
export function reissueApiKey(
  ctx: Context,
  input: Omit<RotateApiKeyBody, "attempt"> & { id: string },
): Promise<IssuedApiKey> {
  return issueOnce(ctx, (service, by) =>
    rotateApiKey(service, {
      ...by,
      environmentId: ctx.environment.id,
      id: input.id,
      overlapHours: input.overlap_hours,
    }),
  );
}
