"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";
import { Badge, type Tone } from "@/components/ui/badge";
import { Banner } from "@/components/ui/banner";
import { Button, Spinner } from "@/components/ui/button";
import { Money } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy";
import { Dialog } from "@/components/ui/dialog";
import { Form, TextareaField } from "@/components/ui/form";
import { useDashboard } from "@/lib/client/dashboard-context";
import { reasonAgainst, subjectOfTransaction } from "@/lib/client/payments/action-reasons";
import { browserBulkPorts } from "@/lib/client/payments/bulk-ports";
import {
  type BulkRow,
  type BulkRowState,
  type BulkRun,
  bulkStore,
  canRetryRow,
  isKnown,
  isOver,
  totalsOf,
} from "@/lib/client/payments/bulk-record";
import { BulkRefund, NO_FORM, rowsOf } from "@/lib/client/payments/bulk-refund";
import { noteError } from "@/lib/client/payments/money-form";
import { merchantAccess, newIdempotencyKey } from "@/lib/client/payments/money-ports";
import { useForm } from "@/lib/client/use-form";
import { APPROVAL_DAYS } from "@/lib/contract/approvals/words";
import { cardText, moneyText } from "@/lib/contract/format";
import type { ListedTransaction } from "@/lib/contract/transactions/transaction";
import { DisputeConsent, ReasonSelect, RefundNote } from "./action-dialogs";

type BulkRefundDialogProps = {
  /** Null resumes the unfinished run of this tab. */
  selection: readonly ListedTransaction[] | null;
  onDone: () => void;
  onClose: () => void;
};

/** Refunds the selected payments one by one; every row has its own outcome. */
export function BulkRefundDialog({ selection, onDone, onClose }: BulkRefundDialogProps) {
  const { refused, ...bulk } = useBulkRefund(selection);
  const { driver, run } = bulk;
  const [form, setForm] = useState<Omit<BulkRun, "rows">>(NO_FORM);
  const [tried, setTried] = useState(false);
  const noteIsMissing = noteError(form.reason, form.comment);
  const disputed = run.rows.filter((row) => row.disputed).length;
  const running = driver.started && !isOver(run);

  function start() {
    setTried(true);
    if (!noteIsMissing) void driver.start({ ...form, comment: form.comment.trim() });
  }
  function close() {
    if (driver.started && isKnown(run)) driver.forget();
    onClose();
    if (driver.started) onDone();
  }

  return (
    <Dialog
      onClose={close}
      size="lg"
      title={driver.started ? "Bulk refund" : `Refund ${count(run.rows.length, "payment")}`}
      dismissible={!running}
      footer={<Footer {...bulk} sends={form.acknowledgesDisputes} onStart={start} onClose={close} />}
    >
      <div className="flex flex-col gap-4">
        {driver.started ? <BulkProgress run={run} stopping={driver.stopping} /> : null}
        <BulkRows run={run} started={driver.started} refused={refused} onRetry={(row) => void driver.retry(row)} />
        {driver.started && isOver(run) && <ApprovalForm driver={driver} run={run} />}
        {!driver.started && run.rows.length > 0 && (
          <>
            {disputed > 0 && (
              <DisputeConsent
                label={`Also refund ${disputed === 1 ? "the disputed payment" : `the ${disputed} disputed payments`}`}
                checked={form.acknowledgesDisputes}
                onChange={(acknowledgesDisputes) => setForm({ ...form, acknowledgesDisputes })}
              />
            )}
            <ReasonSelect label="Reason" reason={form.reason} onReason={(reason) => setForm({ ...form, reason })} />
            <RefundNote
              reason={form.reason}
              note={form.comment}
              error={tried ? noteIsMissing : null}
              onNote={(comment) => setForm({ ...form, comment })}
            />
            <p className="text-soft">
              Refunds the remaining amount of each payment. Refunds cannot be undone and reach the customers’ cards in
              5–10 business days.
            </p>
          </>
        )}
        {bulk.another && (
          <Banner tone="amber" role="status">
            An earlier bulk refund in this tab has unknown outcomes. Starting this one discards them: close this dialog
            and check them first.
          </Banner>
        )}
      </div>
    </Dialog>
  );
}

/** Requests approval of every refund that needs it. Nothing if there is none. */
function ApprovalForm({ driver, run }: { driver: BulkRefund; run: BulkRun }) {
  const form = useForm(
    { reason: "" },
    { check: ({ reason }) => (reason.trim() === "" ? { reason: "Say why they should be refunded." } : {}) },
  );
  const number = run.rows.filter(({ state }) => state.step === "needs_approval").length;
  if (number === 0) return null;
  const refunds = count(number, "refund");
  return (
    <section aria-label="Approval" className="rounded-md border p-3">
      <h3 className="mb-2 font-medium">
        {refunds} {number === 1 ? "needs" : "need"} a colleague’s approval
      </h3>
      <Form form={form} onSubmit={() => driver.requestApprovals(form.values.reason.trim())}>
        <TextareaField
          label="Reason for your colleagues"
          hint={`They see it with your name and get an e-mail for each. A refund is made once one of them approves it within ${APPROVAL_DAYS} days.`}
          rows={2}
          maxLength={500}
          {...form.field("reason")}
        />
        <Button type="submit" pending={form.pending} className="self-start">
          Request approval of {refunds}
        </Button>
      </Form>
    </section>
  );
}

type Bulk = { driver: BulkRefund; run: BulkRun; another: boolean };
type FooterProps = Bulk & {
  /** Disputed payments are refunded as well. */
  sends: boolean;
  onStart: () => void;
  onClose: () => void;
};

/** The right button is one element in every state, so that it keeps the focus. */
function Footer({ driver, run, another, sends, onStart, onClose }: FooterProps) {
  if (!driver.started) {
    const rows = run.rows.filter(({ disputed }) => sends || !disputed);
    const totals = totalsOf(rows).map(([currency, amount]) => moneyText(amount, currency));
    return (
      <>
        <Button key="other" onClick={onClose}>
          Cancel
        </Button>
        {run.rows.length > 0 && (
          <Button key="main" variant="primary" disabled={another || rows.length === 0} onClick={onStart}>
            Refund {totals.join(" + ")} to {count(rows.length, "card")}
          </Button>
        )}
      </>
    );
  }
  if (!isOver(run)) {
    return (
      <Button key="main" pending={driver.stopping} onClick={() => driver.stop()}>
        {driver.stopping ? "Stopping…" : "Stop"}
      </Button>
    );
  }
  const notSent = run.rows.filter(({ state }) => state.step === "not_sent").length;
  return (
    <>
      {notSent > 0 && (
        <Button key="other" onClick={() => void driver.resume()}>
          Send the remaining {notSent}
        </Button>
      )}
      <Button key="main" variant="primary" onClick={onClose}>
        {isKnown(run) ? "Done" : "Close"}
      </Button>
    </>
  );
}

function useBulkRefund(selection: readonly ListedTransaction[] | null) {
  const { mode, merchant, can } = useDashboard();
  const queries = useQueryClient();
  const [{ driver, refused, another }] = useState(() => {
    const access = merchantAccess(mode, merchant.id);
    const onChange = (paymentId: string) => {
      void queries.invalidateQueries({ queryKey: ["transactions"] });
      void queries.invalidateQueries({ queryKey: ["payment", paymentId] });
      void queries.invalidateQueries({ queryKey: ["approvals"] });
    };
    const checked = (selection ?? []).map((transaction) => ({
      transaction,
      reason: reasonAgainst("refund", subjectOfTransaction(transaction), can),
    }));
    const good = checked.filter(({ reason }) => reason === null).map(({ transaction }) => transaction);
    return {
      driver: new BulkRefund(selection && rowsOf(good, newIdempotencyKey), browserBulkPorts(access, onChange)),
      refused: checked.filter((row): row is { transaction: ListedTransaction; reason: string } => row.reason !== null),
      another: selection !== null && bulkStore(window.sessionStorage, access.owner).find() !== null,
    };
  });
  const run = useSyncExternalStore(driver.subscribe, driver.getSnapshot, driver.getSnapshot);
  useEffect(() => {
    driver.open();
    return () => driver.close();
  }, [driver]);
  return { driver, run, refused, another };
}

const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? "" : "s"}`;

type BulkRowsProps = {
  run: BulkRun;
  started: boolean;
  /** Selected payments that can't be refunded. */
  refused: readonly { transaction: ListedTransaction; reason: string }[];
  onRetry: (row: BulkRow) => void;
};

/** One line per payment: card, amount and state. */
function BulkRows({ run, started, refused, onRetry }: BulkRowsProps) {
  return (
    <div className="flex flex-col gap-3">
      {run.rows.length > 0 && (
        <ul aria-label="Payments to refund" className="max-h-80 divide-y overflow-y-auto rounded-md border">
          {run.rows.map((row) => (
            <li key={row.key} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-2">
              <Who card={row.card} customer={row.customer} id={row.paymentId} />
              {row.disputed && <Badge tone="red">Disputed</Badge>}
              <Money amount={row.amount} currency={row.currency} className="text-right" />
              {started && <Outcome row={row} onRetry={onRetry} />}
            </li>
          ))}
        </ul>
      )}
      {refused.length > 0 && (
        <section aria-label="Not refundable">
          <h3 className="mb-1.5 font-medium">
            {refused.length} of the selected payments can’t be refunded and {refused.length === 1 ? "is" : "are"} left
            out
          </h3>
          <ul className="max-h-48 divide-y overflow-y-auto rounded-md border">
            {refused.map(({ transaction, reason }) => (
              <li key={transaction.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-2 text-soft">
                <Who
                  card={cardText(transaction.card_brand, transaction.card_last4)}
                  customer={transaction.customer_email ?? transaction.customer_name}
                  id={transaction.payment_id}
                />
                <Money amount={transaction.amount} currency={transaction.currency} />
                <p className="w-full">{reason}</p>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function Who({ card, customer, id }: { card: string; customer: string | null; id: string }) {
  return (
    <div className="min-w-0 flex-1 basis-48">
      <p className="truncate">
        {card}
        {customer && <span className="text-soft"> · {customer}</span>}
      </p>
      <CopyId id={id} short className="text-soft" />
    </div>
  );
}

const STYLES: Record<BulkRowState["step"], { label: string; tone: Tone }> = {
  waiting: { label: "Waiting", tone: "neutral" },
  sending: { label: "Sending", tone: "blue" },
  refunded: { label: "Refunded", tone: "violet" },
  refused: { label: "Refused", tone: "red" },
  needs_approval: { label: "Needs approval", tone: "amber" },
  requested: { label: "Approval requested", tone: "amber" },
  unknown: { label: "Outcome unknown", tone: "amber" },
  not_sent: { label: "Not sent", tone: "neutral" },
};

function Outcome({ row, onRetry }: { row: BulkRow; onRetry: (row: BulkRow) => void }) {
  const { state } = row;
  const { label, tone } = STYLES[state.step];
  const detail = detailOf(state);
  return (
    <>
      <div className="flex items-center gap-2 sm:min-w-32 sm:justify-end">
        <Badge tone={tone} icon={state.step === "sending" ? <Spinner /> : undefined}>
          {label}
        </Badge>
      </div>
      {(detail || state.step === "unknown") && (
        <div className="flex w-full flex-wrap items-center gap-2 text-soft">
          <p className="min-w-0 flex-1">{detail}</p>
          {state.step === "unknown" && canRetryRow(row) && (
            <Button size="sm" onClick={() => onRetry(row)}>
              Retry safely
            </Button>
          )}
        </div>
      )}
    </>
  );
}

function detailOf(state: BulkRowState): string | null {
  switch (state.step) {
    case "refused":
    case "needs_approval":
    case "not_sent":
      return state.detail;
    case "unknown":
      return (
        state.notice ??
        (state.why === "pending"
          ? "The processor has not given a final response yet."
          : "No response arrived. Retrying uses the same key, so there is never a second refund.")
      );
    default:
      return null;
  }
}

const WORDS: [BulkRowState["step"], string][] = [
  ["refunded", "refunded"],
  ["refused", "refused"],
  ["needs_approval", "need approval"],
  ["requested", "requested"],
  ["unknown", "unknown"],
  ["not_sent", "not sent"],
];

/** Progress as a bar and as text. */
function BulkProgress({ run, stopping }: { run: BulkRun; stopping: boolean }) {
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
        aria-label="Payments processed"
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
