import type { BulkRowState, BulkRun } from "@/lib/client/bulk-record";
import { isOver, totalsOf } from "@/lib/client/bulk-record";
import { moneyText } from "@/lib/client/money-text";

const WORDS: [BulkRowState["step"], string][] = [
  ["refunded", "refunded"],
  ["refused", "refused"],
  ["unknown", "unknown"],
  ["not_sent", "not sent"],
];

/** How far it is, in a bar and in words. */
export function BulkProgress({ run, stopping }: { run: BulkRun; stopping: boolean }) {
  const { rows } = run;
  const ended = rows.filter(({ state }) => state.step !== "waiting" && state.step !== "sending").length;
  const counts = WORDS.map(([step, word]) => ({
    word,
    number: rows.filter(({ state }) => state.step === step).length,
  }));
  const totals = totalsOf(rows.filter(({ state }) => state.step === "refunded"));
  return (
    <div className="flex flex-col gap-2">
      <progress
        className="h-1.5 w-full accent-accent"
        max={rows.length}
        value={ended}
        aria-label="Payments dealt with"
      />
      <p role="status">
        <span className="font-medium">
          {isOver(run) ? "Finished" : stopping ? "Stopping" : "Refunding"}: {ended} of {rows.length}
        </span>
        <span className="text-soft">
          {counts.filter(({ number }) => number > 0).map(({ word, number }) => ` · ${number} ${word}`)}
          {totals.length > 0 &&
            ` · ${totals.map(([currency, amount]) => moneyText(amount, currency)).join(" + ")} returned`}
        </span>
      </p>
    </div>
  );
}
