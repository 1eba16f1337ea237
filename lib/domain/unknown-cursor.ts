import { AppError } from "@/lib/contract/errors";

/** `starting_after` names nothing of this environment. A page after nothing would look like the end of the list. */
export function unknownCursor(kind: string, id: string): AppError {
  const message = `starting_after must be the id of a ${kind} of this environment; '${id}' is none.`;
  return new AppError("invalid_parameter", message, {
    errors: [{ param: "starting_after", code: "invalid_parameter", message }],
  });
}
