import { AppError } from "@/lib/contract/errors";

export const tooManyAttempts = (waitSeconds: number) =>
  new AppError("rate_limited", `Too many attempts from your address. Try again in ${waitSeconds} s.`, {
    headers: { "Retry-After": String(waitSeconds) },
  });
