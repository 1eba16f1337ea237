import { cn } from "@/components/ui/class-names";

const LEVELS = [
  { from: 75, word: "High risk", bar: "fill-red", text: "text-red" },
  { from: 40, word: "Elevated risk", bar: "fill-amber", text: "text-amber" },
  { from: 0, word: "Low risk", bar: "fill-green", text: "text-green" },
];

/** The fraud score on its scale of 0 to 100, with the rules that made it. */
export function FraudScore({ score, reasons }: { score: number | null; reasons: string[] | null }) {
  if (score === null) {
    return <p className="mt-3 border-t pt-3 text-soft">No fraud score: the payment was not scored.</p>;
  }
  const level = LEVELS.find(({ from }) => score >= from) ?? { word: "Low risk", bar: "fill-green", text: "text-green" };
  return (
    <div className="mt-3 border-t pt-3">
      <p className="flex items-baseline justify-between gap-4">
        <span className="text-soft">Fraud score</span>
        <span>
          <span className={cn("font-medium", level.text)}>{level.word}</span>{" "}
          <span className="font-mono tabular-nums">
            {score} <span className="text-soft">/ 100</span>
          </span>
        </span>
      </p>
      <meter min={0} max={100} value={score} aria-label="Fraud score" className="sr-only">
        {score} of 100, {level.word.toLowerCase()}
      </meter>
      <div aria-hidden="true" className="mt-1.5 h-1.5 overflow-hidden rounded-full bg-line">
        {/* Drawn, and not sized by a style: the page's policy takes none from HTML. */}
        <svg className="block size-full" aria-hidden="true">
          <rect rx="3" width={`${Math.max(score, 1)}%`} height="100%" className={level.bar} />
        </svg>
      </div>
      <div aria-hidden="true" className="mt-0.5 flex justify-between text-[11px] text-soft tabular-nums">
        <span>0</span>
        <span>100</span>
      </div>
      {reasons && reasons.length > 0 ? (
        <ul aria-label="What made the score" className="mt-1 list-disc pl-4">
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      ) : (
        <p className="mt-1 text-soft">No rule found anything unusual.</p>
      )}
    </div>
  );
}
