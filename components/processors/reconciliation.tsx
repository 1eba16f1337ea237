/** Comparisons with a processor's own list, for merchants and support. */
import { Check, CircleX, Clock, Scale, TriangleAlert } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { ProcessorLink } from "@/components/payments/payment-facts";
import { Badge } from "@/components/ui/badge";
import { Banner } from "@/components/ui/banner";
import { Card } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { EmptyState } from "@/components/ui/empty-state";
import { ColumnHeads } from "@/components/ui/page-links";
import { cn } from "@/components/ui/styles";
import { RefreshEvery, Time } from "@/components/ui/time";
import { shortId } from "@/lib/contract/format";
import {
  DIFFERENCE_WORDS,
  type Difference,
  type DifferenceKind,
  hasEnded,
  MAX_DIFFERENCES,
  type ReconciliationSummary,
  type ReconciliationView,
} from "@/lib/contract/processors/reconciliation";

type ReconciliationProps = {
  view: ReconciliationView;
  /** The page's own address, to which `?run=` is added. */
  path: string;
  /** Builds the address of a payment's page. */
  paymentHref: (id: string) => string;
};

export function Reconciliation({ view, path, paymentHref }: ReconciliationProps) {
  const { runs, shown, standing } = view;
  if (runs.length === 0) {
    return (
      <EmptyState
        icon={<Scale aria-hidden="true" />}
        title="Not compared yet"
        description="Each night after 3:00 UTC, Cardlane compares its payments and refunds with the processor’s own list. The results appear here."
      />
    );
  }
  return (
    <div className="flex flex-col gap-4">
      {runs.some((run) => !hasEnded(run)) && <RefreshEvery ms={3_000} />}
      {standing > (shown?.difference_count ?? 0) && (
        <Banner tone="red" title="Earlier differences remain">
          {numbers(standing, "difference")} found so far {standing === 1 ? "has" : "have"} not been compared again. Open
          the earlier comparisons below, or compare a longer period.
        </Banner>
      )}
      {shown && <Shown run={shown} paymentHref={paymentHref} />}
      <Card title="Comparisons" description="Newest first." flush>
        <RunTable runs={runs} shown={shown?.id ?? null} path={path} />
      </Card>
    </div>
  );
}

type ShownRun = NonNullable<ReconciliationView["shown"]>;

function Shown({ run, paymentHref }: { run: ShownRun } & Pick<ReconciliationProps, "paymentHref">) {
  const { differences, difference_count: count, unchecked } = run;
  return (
    <>
      <Verdict run={run} />
      {unchecked.map((sentence) => (
        <Banner key={sentence} tone="amber" title="Not checked">
          {sentence}
        </Banner>
      ))}
      {count > 0 && (
        <Card title={numbers(count, "difference")} description={keptText(count, differences.length)} flush>
          <ul className="divide-y">
            {differences.map((difference, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a comparison's results never change
              <li key={index}>
                <DifferenceRow difference={difference} paymentHref={paymentHref} />
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}

/** Undefined when all are shown. */
function keptText(count: number, shown: number): string | undefined {
  if (shown === count) return undefined;
  const old = "Older comparisons keep only the differences that no later one has checked again.";
  if (shown === 0) return `None is shown. ${old}`;
  return shown === MAX_DIFFERENCES
    ? `The first ${shown.toLocaleString("en-US")} are shown.`
    : `${shown.toLocaleString("en-US")} of them ${shown === 1 ? "is" : "are"} shown. ${old}`;
}

const numbers = (count: number, what: string) => `${count.toLocaleString("en-US")} ${what}${count === 1 ? "" : "s"}`;

function Verdict({ run }: { run: ShownRun }) {
  const { state, payments, refunds, under_way: underWay, difference_count: count, unchecked, failure } = run;
  const range = (
    <>
      From <Time at={run.since} /> to <Time at={run.until} />.
    </>
  );
  if (state === "failed") {
    return (
      <Banner tone="red" title="The comparison failed">
        {failure} {range}
      </Banner>
    );
  }
  if (state === "requested") return <Banner title="The comparison will start in a moment">{range}</Banner>;
  if (state === "running") return <Banner title="The comparison is running">{range}</Banner>;
  const compared = `${numbers(payments, "payment")} and ${numbers(refunds, "refund")} compared.`;
  const tone = count > 0 ? "red" : unchecked.length > 0 ? "neutral" : "green";
  const title =
    count > 0
      ? "The books differ"
      : unchecked.length > 0
        ? "No difference in what could be checked"
        : "The books agree";
  return (
    <Banner tone={tone} title={title}>
      {compared}
      {underWay > 0 && ` ${underWayText(underWay, unchecked.length > 0)}`} {range}
    </Banner>
  );
}

const underWayText = (count: number, isUnchecked: boolean) =>
  isUnchecked
    ? `${count.toLocaleString("en-US")} could not be checked.`
    : `${count.toLocaleString("en-US")} skipped: still in progress.`;

const KIND_TONES: Record<DifferenceKind, "red" | "amber"> = {
  only_there: "red",
  only_here: "red",
  amounts_differ: "amber",
  states_differ: "amber",
};

function DifferenceRow({
  difference,
  paymentHref,
}: { difference: Difference } & Pick<ReconciliationProps, "paymentHref">) {
  const {
    kind,
    object,
    payment_id: payment,
    processor_object: processorObject,
    url,
    here,
    there,
    at,
    advice,
  } = difference;
  return (
    <article className="flex flex-col gap-2 px-4 py-3 text-[13px]">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone={KIND_TONES[kind]} icon={<TriangleAlert aria-hidden="true" />}>
          {DIFFERENCE_WORDS[kind]}
        </Badge>
        <h3 className="font-medium">{object === "payment" ? "Payment" : "Refund"}</h3>
        <Time at={at} className="ml-auto text-soft text-xs" />
      </header>
      <dl className="grid gap-x-8 gap-y-1 sm:grid-cols-2">
        <Side term="Cardlane" text={here}>
          {payment && (
            <Link
              href={paymentHref(payment)}
              prefetch={false}
              className="font-mono text-accent text-xs hover:underline"
            >
              {shortId(payment)}
            </Link>
          )}
        </Side>
        <Side term="Processor" text={there}>
          {processorObject && <CopyId id={processorObject.id} short label={`Copy ${processorObject.id}`} />}
          {url && <ProcessorLink href={url}>Open at the processor</ProcessorLink>}
        </Side>
      </dl>
      <p>{advice}</p>
    </article>
  );
}

function Side({ term, text, children }: { term: string; text: string | null; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-soft text-xs">{term}</dt>
      <dd className="min-w-0">
        <span className={cn("block", text === null && "text-soft")}>{text ?? "Nothing"}</span>
        <span className="flex flex-wrap items-center gap-x-3">{children}</span>
      </dd>
    </div>
  );
}

const COLUMNS = [
  ["Finished", "pl-4 pr-4"],
  ["Result", "pr-4"],
  ["Compared", "pr-4 text-right max-sm:hidden"],
  ["Started", "w-28 pr-4 max-md:hidden"],
] as const;

function RunTable({
  runs,
  shown,
  path,
}: {
  runs: readonly ReconciliationSummary[];
  shown: string | null;
  path: string;
}) {
  return (
    <table className="w-full text-left text-[13px]">
      <caption className="sr-only">Comparisons, newest first</caption>
      <ColumnHeads columns={COLUMNS} />
      <tbody>
        {runs.map((run) => (
          <tr
            key={run.id}
            aria-current={run.id === shown ? "true" : undefined}
            className="relative h-10 border-b last:border-0 hover:bg-raised aria-[current]:bg-raised"
          >
            <td className="py-2 pr-4 pl-4 align-middle">
              <Link
                href={`${path}${path.includes("?") ? "&" : "?"}run=${run.id}`}
                prefetch={false}
                scroll={false}
                className="font-medium after:absolute after:inset-0"
              >
                <Time at={run.finished_at ?? run.started_at} />
              </Link>
            </td>
            <td className="py-2 pr-4 align-middle">
              <ResultBadge run={run} />
            </td>
            <td className="py-2 pr-4 text-right align-middle tabular-nums max-sm:hidden">
              {run.state === "done" ? (run.payments + run.refunds).toLocaleString("en-US") : "–"}
            </td>
            <td className="py-2 pr-4 align-middle text-soft max-md:hidden">{REASON_WORDS[run.reason]}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const REASON_WORDS: Record<ReconciliationSummary["reason"], string> = {
  night: "Nightly",
  request: "Manually",
  command: "By the operator",
};

type Result = { state: ReconciliationSummary["state"]; difference_count: number; unchecked: { length: number } };

/** Result of a comparison as a badge. */
export function ResultBadge({ run: { state, difference_count: count, unchecked } }: { run: Result }) {
  if (state === "requested") return <Badge icon={<Clock aria-hidden="true" />}>Queued</Badge>;
  if (state === "running") return <Badge icon={<Clock aria-hidden="true" />}>Running</Badge>;
  if (state === "failed")
    return (
      <Badge tone="red" icon={<CircleX aria-hidden="true" />}>
        Failed
      </Badge>
    );
  if (count > 0)
    return (
      <Badge tone="red" icon={<TriangleAlert aria-hidden="true" />}>
        {numbers(count, "difference")}
      </Badge>
    );
  if (unchecked.length > 0)
    return (
      <Badge tone="amber" icon={<TriangleAlert aria-hidden="true" />}>
        Not checked
      </Badge>
    );
  return (
    <Badge tone="green" icon={<Check aria-hidden="true" />}>
      Agree
    </Badge>
  );
}
