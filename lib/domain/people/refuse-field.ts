import { AppError } from "@/lib/contract/errors";

/** A refusal that a form shows at one of its fields. */
export const refuseField = (param: string, message: string) =>
  new AppError("invalid_parameter", message, { errors: [{ param, code: "invalid_parameter", message }] });
