import { AppError } from "@/lib/contract/errors";

/** The one answer for unknown, malformed and foreign ids: what is not yours does not exist. `id` as the caller sent it. */
export function resourceNotFound(kind: string, id: string, param: string | null = null): AppError {
  return new AppError("resource_not_found", `There is no ${kind} '${id}' in this environment.`, { param });
}
