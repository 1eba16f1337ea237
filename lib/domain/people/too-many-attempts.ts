import { AppError } from "@/lib/contract/errors";

const limited = (detail: string, waitSeconds: number) =>
  new AppError("rate_limited", detail, { headers: { "Retry-After": String(waitSeconds) } });

export const tooManyAttempts = (waitSeconds: number) =>
  limited(`Too many attempts. Try again in ${waitSeconds} s.`, waitSeconds);

export const tooManyAccounts = (waitSeconds: number) => {
  const minutes = Math.ceil(waitSeconds / 60);
  return limited(
    `Your network has opened as many accounts as it may in a day. Try again in ${minutes} ${minutes === 1 ? "minute" : "minutes"}.`,
    waitSeconds,
  );
};
