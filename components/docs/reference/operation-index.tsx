import { MethodBadge } from "./method-badge";
import type { OperationEntry } from "./operation-section";

/** All operations on one screen, by their tag. */
export function OperationIndex({ tags }: { tags: readonly { name: string; entries: readonly OperationEntry[] }[] }) {
  return (
    <div className="mt-8 gap-x-12 text-[13px] md:columns-2">
      {tags.map(({ name, entries }) => (
        <div key={name} className="mb-6 break-inside-avoid">
          <p className="mb-1 font-medium">{name}</p>
          <ul className="divide-y border-y">
            {entries.map(({ method, path, operation }) => (
              <li key={operation.operationId}>
                <a
                  href={`#${operation.operationId}`}
                  className="flex gap-3 py-1.5 font-mono text-xs hover:bg-raised"
                  aria-label={`${operation.summary}: ${method.toUpperCase()} ${path}`}
                >
                  <span className="w-10 shrink-0">
                    <MethodBadge method={method} />
                  </span>
                  <span className="break-all">{path}</span>
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  );
}
