import Link from "next/link";
import type { ResponseObject } from "@/lib/contract/openapi-document";

/** The error codes of an operation by status, each a link to its page. */
export function ErrorList({ responses }: { responses: [string, ResponseObject][] }) {
  if (responses.length === 0) return null;
  return (
    <>
      <h4 className="mt-6 mb-2 font-medium text-[13px]">Errors</h4>
      <dl className="space-y-1 text-xs">
        {responses.map(([status, { content }]) => (
          <div key={status} className="flex gap-3">
            <dt className="font-mono text-red">{status}</dt>
            <dd className="flex flex-wrap gap-x-3">
              {Object.keys(content["application/problem+json"]?.examples ?? {}).map((code) => (
                <Link
                  key={code}
                  href={`/docs/errors/${code}`}
                  prefetch={false}
                  className="py-1 font-mono text-soft underline-offset-2 hover:text-ink hover:underline"
                >
                  {code}
                </Link>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
