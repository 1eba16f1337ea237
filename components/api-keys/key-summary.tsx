import type { ApiKey } from "@/lib/contract/dashboard/api-keys";

/** Which key a dialog is about. */
export function KeySummary({ apiKey }: { apiKey: ApiKey }) {
  return (
    <p className="mb-4 flex flex-wrap items-baseline gap-x-2 rounded-md border bg-raised px-3 py-2">
      <span className="font-medium">{apiKey.name}</span>
      <span className="font-mono text-soft text-xs">
        {apiKey.prefix}…{apiKey.last4}
      </span>
    </p>
  );
}
