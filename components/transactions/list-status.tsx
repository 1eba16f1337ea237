"use client";

import { ArrowUp } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button";

type ListStatusProps = {
  /** "1–20 of 240"; null before there is an answer. */
  range: string | null;
  /** What came in and is not shown yet; null for nothing. */
  waiting: { added: number } | null;
  onShowWaiting: () => void;
  /** Read aloud. */
  message: string;
};

/** The line above the rows. New rows are offered here, in a place of their own: nothing moves until somebody says so. */
export function ListStatus({ range, waiting, onShowWaiting, message }: ListStatusProps) {
  return (
    <div className="flex h-9 items-center gap-3 text-[13px] text-soft tabular-nums print:hidden">
      <p aria-hidden="true">{range}</p>
      <output className="sr-only">{message}</output>
      <output className="ml-auto">
        {waiting && (
          <Button
            size="sm"
            variant="ghost"
            className="text-accent"
            icon={<ArrowUp aria-hidden="true" />}
            onClick={onShowWaiting}
          >
            {waitingText(waiting.added)}
          </Button>
        )}
      </output>
    </div>
  );
}

function waitingText(added: number): string {
  if (added === 0) return "Update the list";
  return added === 1 ? "1 new transaction" : `${added} new transactions`;
}

/** What is read aloud of a list: once for each question, however often its answer changes afterwards. */
export function useAnnouncement(key: string, text: string | null): string {
  const [announced, setAnnounced] = useState({ key, text: "" });
  if (text === null || announced.key === key) return announced.text;
  setAnnounced({ key, text });
  return text;
}
