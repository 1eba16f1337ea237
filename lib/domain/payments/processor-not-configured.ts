import { AppError } from "@/lib/contract/errors";

export function processorNotConfigured(): AppError {
  return new AppError(
    "processor_not_configured",
    "No processor is connected for live payments yet. Use a sandbox key to test.",
  );
}
