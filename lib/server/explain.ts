import { AppError } from "@/lib/contract/errors";
import { ConfigurationError } from "@/lib/env";

const DISK: Record<string, string> = {
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EROFS: "it is on a read-only file system",
  ENOSPC: "the disk is full",
};

/** One sentence for what a person can put right; null for a fault of our own, which deserves its stack. */
export function explain(error: unknown): string | null {
  if (error instanceof ConfigurationError || error instanceof AppError) return error.message;
  const { code = "", path } = error as NodeJS.ErrnoException;
  const reason = DISK[code];
  return reason ? `${path ?? "A file"} could not be written: ${reason}.` : null;
}
