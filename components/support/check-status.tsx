"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/styles";
import { callApi, failureText } from "@/lib/client/api";
import type { StatusCheckResult } from "@/lib/contract/support/endpoints";

type CheckResult = { result: StatusCheckResult; state: string; last_answer: string | null };

type CheckStatusProps = {
  /** UUID. */
  operationId: string;
  /** Refreshes the page once the outcome is known; the queue keeps its rows in place instead. */
  refresh?: boolean;
};

/** Checks an operation's outcome. Safe: nothing is executed twice, and an authorization is only queried. */
export function CheckStatus({ operationId, refresh = false }: CheckStatusProps) {
  const router = useRouter();
  const [pending, setPending] = useState(false);
  const [words, setWords] = useState<string | null>(null);
  const [known, setKnown] = useState(false);

  async function check() {
    setPending(true);
    setWords(null);
    try {
      const { data } = await callApi("POST /api/support/operations/{id}/check-status", { params: { id: operationId } });
      setWords(wordsOf(data));
      setKnown(data.state !== "open");
      if (refresh) router.refresh();
    } catch (error) {
      setWords(failureText(error));
    } finally {
      setPending(false);
    }
  }

  return (
    <div className="flex min-w-0 flex-wrap items-center gap-y-1">
      <output className={cn("min-w-0 [overflow-wrap:anywhere]", words && "mr-3")}>{words}</output>
      {!known && (
        <Button size="sm" pending={pending} onClick={() => void check()}>
          {pending ? "Checking…" : "Check status"}
        </Button>
      )}
    </div>
  );
}

function wordsOf({ result, state, last_answer: detail }: CheckResult): string {
  switch (result) {
    case "settled":
      return `Now known: ${state.replaceAll("_", " ")}${detail ? ` (${detail})` : ""}.`;
    case "already_known":
      return `Already known: ${state.replaceAll("_", " ")}${detail ? ` (${detail})` : ""}.`;
    case "still_unknown":
      return `Still not known${detail ? `: ${detail}` : ""}.`;
    case "busy":
      return "It is being checked right now. Try again in a moment.";
    default:
      return result satisfies never;
  }
}
