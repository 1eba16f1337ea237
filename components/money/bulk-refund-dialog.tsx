"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Dialog, DialogContent } from "@/components/ui/dialog";
import { reasonAgainst, subjectOfTransaction } from "@/lib/client/action-reasons";
import { type BulkRun, bulkStore, isKnown, isOver, totalsOf } from "@/lib/client/bulk-record";
import { BulkRefund, rowsOf } from "@/lib/client/bulk-refund";
import { useDashboard } from "@/lib/client/dashboard-context";
import { noteError } from "@/lib/client/money-form";
import { browserBulkPorts, newIdempotencyKey } from "@/lib/client/money-ports";
import { moneyText } from "@/lib/client/money-text";
import type { ListedTransaction } from "@/lib/contract/transaction";
import { BulkProgress } from "./bulk-progress";
import { BulkRows } from "./bulk-rows";
import { ReasonFields } from "./reason-fields";

type BulkRefundDialogProps = {
  /** Null: the run that this tab has not finished. */
  selection: readonly ListedTransaction[] | null;
  onDone: () => void;
  onClose: () => void;
};

/** Refunds what is selected, one by one; every row keeps its own outcome. */
export function BulkRefundDialog({ selection, onDone, onClose }: BulkRefundDialogProps) {
  const { refused, ...bulk } = useBulkRefund(selection);
  const { driver, run } = bulk;
  const [form, setForm] = useState<Pick<BulkRun, "reason" | "comment">>({ reason: "CUSTOMER_REQUEST", comment: "" });
  const [tried, setTried] = useState(false);
  const noteIsMissing = noteError(form.reason, form.comment);
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
    <Dialog open onOpenChange={(open) => open || close()}>
      <DialogContent
        size="lg"
        title={driver.started ? "Bulk refund" : `Refund ${count(run.rows.length, "payment")}`}
        dismissible={!running}
        footer={<Footer {...bulk} onStart={start} onClose={close} />}
      >
        <div className="flex flex-col gap-4">
          {driver.started ? <BulkProgress run={run} stopping={driver.stopping} /> : null}
          <BulkRows run={run} started={driver.started} refused={refused} onRetry={(row) => void driver.retry(row)} />
          {!driver.started && run.rows.length > 0 && (
            <>
              <ReasonFields
                reason={form.reason}
                note={form.comment}
                noteError={tried ? noteIsMissing : null}
                onReason={(reason) => setForm({ ...form, reason })}
                onNote={(comment) => setForm({ ...form, comment })}
              />
              <p className="text-soft">
                Each payment gets back all that is left of it. Refunds cannot be undone and reach the customers' cards
                in 5–10 business days.
              </p>
            </>
          )}
          {bulk.another && (
            <Banner tone="amber" role="status">
              An earlier bulk refund in this tab has outcomes that are not known. Starting this one forgets them: close
              this and look into it first.
            </Banner>
          )}
        </div>
      </DialogContent>
    </Dialog>
  );
}

type Bulk = { driver: BulkRefund; run: BulkRun; another: boolean };
type FooterProps = Bulk & { onStart: () => void; onClose: () => void };

/** The button on the right is one element in every state, so that the keyboard's focus stays on it. */
function Footer({ driver, run, another, onStart, onClose }: FooterProps) {
  if (!driver.started) {
    const totals = totalsOf(run.rows).map(([currency, amount]) => moneyText(amount, currency));
    return (
      <>
        <Button key="other" onClick={onClose}>
          Cancel
        </Button>
        {run.rows.length > 0 && (
          <Button key="main" variant="primary" disabled={another} onClick={onStart}>
            Refund {totals.join(" + ")} to {count(run.rows.length, "card")}
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
    const owner = { mode, merchantId: merchant.id };
    const moved = (paymentId: string) => {
      void queries.invalidateQueries({ queryKey: ["transactions"] });
      void queries.invalidateQueries({ queryKey: ["payment", paymentId] });
    };
    const checked = (selection ?? []).map((transaction) => ({
      transaction,
      reason: reasonAgainst("refund", subjectOfTransaction(transaction), can),
    }));
    const good = checked.filter(({ reason }) => reason === null).map(({ transaction }) => transaction);
    return {
      driver: new BulkRefund(selection && rowsOf(good, newIdempotencyKey), browserBulkPorts(owner, moved)),
      refused: checked.filter((row): row is { transaction: ListedTransaction; reason: string } => row.reason !== null),
      another: selection !== null && bulkStore(window.sessionStorage, owner).find() !== null,
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
