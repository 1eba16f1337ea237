"use client";

import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import type { QueryProblem } from "@/lib/contract/lists/address";

type ProblemNoticeProps = { problems: readonly QueryProblem[]; onRemove: () => void };

/** Ignored parts of the address, shown to the user. */
export function ProblemNotice({ problems, onRemove }: ProblemNoticeProps) {
  if (problems.length === 0) return null;
  return (
    <Banner
      tone="amber"
      title="Part of this link is not valid and was ignored"
      actions={
        <Button size="sm" onClick={onRemove}>
          Remove it
        </Button>
      }
    >
      <ul>
        {problems.map(({ param, value, message }) => (
          <li key={`${param}=${value}`} className="[overflow-wrap:anywhere]">
            <code className="font-mono text-xs">
              {param}={value.slice(0, 60)}
            </code>{" "}
            {message}
          </li>
        ))}
      </ul>
    </Banner>
  );
}
