import { findConnectionOfPayment } from "@/db/queries/processors/connections";
import { AppError } from "@/lib/contract/errors";
import type { Mode } from "@/lib/contract/transactions/words";
import type { Connected } from "@/lib/processor/registry";
import type { Context, Environment, Service } from "../context";

/**
 * The processor of an existing payment: the one that authorized it, whatever the rules are now. Null if it is
 * not connected. For a payment that does not exist, the built-in processor: T1 then finds that out.
 */
export async function connectionOf(
  { processors, db }: Pick<Service, "processors" | "db">,
  environment: Pick<Environment, "id" | "mode">,
  paymentId: string,
): Promise<Connected | null> {
  if (!(await processors.hasOthers(environment))) return processors.find(environment, null);
  const row = await findConnectionOfPayment(db.within(environment.id).sql, environment.id, paymentId);
  return processors.find(environment, row?.connection_id ?? null);
}

/**
 * True if new payments without a matching rule have a processor.
 * The operator's counts even while it is unreachable.
 */
export async function hasProcessor({ service, environment }: Context): Promise<boolean> {
  try {
    return (await service.processors.choose(environment, { currency: "", brand: null })) !== null;
  } catch (error) {
    if (error instanceof AppError && error.code === "processor_error") return true;
    throw error;
  }
}

/** The reason for a refusal by T1 that has no other cause: the connection may just have been disconnected. */
export async function disconnectedError(
  { service: { processors }, environment }: Context,
  { connectionId, guarded }: Connected,
  stored?: Storing,
): Promise<AppError | null> {
  if (!guarded) return null;
  processors.changed();
  return (await processors.find(environment, connectionId)) ? null : connectionMissing(connectionId, stored);
}

/** `false` if the request's key doesn't keep the refusal. */
type Storing = { stored?: false };

/** Refuses a later operation, or a card token, whose processor is not connected. */
export function connectionMissing(connectionId: string | null, stored: Storing = {}): AppError {
  return connectionId === null
    ? processorNotConfigured({ mode: "live" }, stored)
    : new AppError(
        "processor_not_configured",
        "The processor connection behind this payment is no longer connected. Connect the same account again in the dashboard under Settings → Processors, or ask the service's operator to set it up again.",
        stored,
      );
}

export function processorNotConfigured({ mode }: { mode: Mode }, stored: Storing = {}): AppError {
  return new AppError(
    "processor_not_configured",
    mode === "live"
      ? "No processor is connected for live payments yet. Connect one in the dashboard under Settings → Processors, or use a test key."
      : "No connected processor takes this payment. See Settings → Processors in the dashboard.",
    stored,
  );
}
