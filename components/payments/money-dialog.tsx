"use client";

import { useQueryClient } from "@tanstack/react-query";
import {
  type ComponentProps,
  type FormEvent,
  type ReactNode,
  useEffect,
  useId,
  useState,
  useSyncExternalStore,
} from "react";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Facts, Money } from "@/components/ui/card";
import { CopyId } from "@/components/ui/copy-id";
import { Dialog, DialogContent } from "@/components/ui/dialog";
import { Field, Input } from "@/components/ui/field";
import { Skeleton } from "@/components/ui/skeleton";
import { useDashboard } from "@/lib/client/dashboard-context";
import { MoneyDriver, type MoneySnapshot } from "@/lib/client/payments/money-action";
import { browserMoneyPorts } from "@/lib/client/payments/money-ports";
import type { MoneyAction } from "@/lib/client/payments/money-record";
import type { MoneySubject } from "@/lib/client/payments/money-subject";
import { moneyText } from "@/lib/contract/format";
import { UnknownOutcome } from "./unknown-outcome";

type MoneyDialogProps = {
  driver: MoneyDriver;
  snapshot: MoneySnapshot;
  title: string;
  /** What the button does, in words with amount and card. */
  submitLabel: string;
  /** The action cannot be undone and takes money away from somebody. */
  danger?: boolean;
  /** Why the payment cannot be acted on in this way (any more). */
  impossible: string | null;
  /** A refusal that is not about a field. */
  refusal: string | null;
  onSubmit: () => void;
  onClose: () => void;
  /** The form; it is there once the payment is read. */
  children: ReactNode;
};

/** The frame of every money dialog: what it shows follows the driver's state, and nothing is called done before it is. */
export function MoneyDialog({ driver, snapshot, title, onClose, children, ...form }: MoneyDialogProps) {
  const formId = useId();
  const { state } = snapshot;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (state.step === "editing" || state.step === "refused") form.onSubmit();
  };
  return (
    <Dialog open onOpenChange={(open) => open || onClose()}>
      <DialogContent
        title={state.step === "unknown" ? "Outcome unknown" : title}
        dismissible={state.step !== "sending"}
        footer={<Footer driver={driver} snapshot={snapshot} formId={formId} onClose={onClose} {...form} />}
      >
        <div aria-live="polite">
          {state.step === "unknown" && <UnknownOutcome driver={driver} snapshot={snapshot} state={state} />}
          {state.step === "done" && <Done driver={driver} snapshot={snapshot} />}
          {state.step === "sending" && (
            <p className="sr-only">{state.retry ? "Asking again under the same key" : "Sending"}</p>
          )}
        </div>
        {state.step !== "unknown" && state.step !== "done" && (
          <form id={formId} onSubmit={submit} noValidate className="flex flex-col gap-4">
            <Notices snapshot={snapshot} refusal={form.refusal} impossible={form.impossible} />
            {snapshot.subject === null ? <LoadingForm /> : <fieldset className="contents">{children}</fieldset>}
          </form>
        )}
      </DialogContent>
    </Dialog>
  );
}

function Notices({
  snapshot: { changes, readError, state },
  refusal,
  impossible,
}: {
  snapshot: MoneySnapshot;
  refusal: string | null;
  impossible: string | null;
}) {
  const requestId = state.step === "refused" ? state.refusal.requestId : null;
  return (
    <>
      {changes.length > 0 && (
        <Banner tone="amber" role="alert" title="This payment has changed since you opened it">
          <ul className="list-disc pl-4">
            {changes.map((change) => (
              <li key={change}>{change}</li>
            ))}
          </ul>
          <p>Nothing was sent. Check the amount and press the button again if you still want to.</p>
        </Banner>
      )}
      {readError && (
        <Banner tone="red" role="alert" title="The payment could not be read, so nothing was sent">
          {readError}
        </Banner>
      )}
      {refusal && (
        <Banner tone="red" role="alert">
          <p>{refusal}</p>
          {requestId && (
            <p className="mt-0.5 text-soft text-xs">
              Request <CopyId id={requestId} label="Copy request id" />
            </p>
          )}
        </Banner>
      )}
      {impossible && !refusal && (
        <Banner tone="neutral" role="status">
          {impossible}
        </Banner>
      )}
    </>
  );
}

function LoadingForm() {
  return (
    <div className="flex flex-col gap-3" role="status">
      <span className="sr-only">Reading the payment</span>
      <Skeleton className="h-16 w-full" />
      <Skeleton className="h-8 w-full" />
      <Skeleton className="h-8 w-full" />
    </div>
  );
}

const DONE = { refund: "Refunded", capture: "Captured", void: "Voided" } as const;

function Done({ driver: { action }, snapshot: { record } }: { driver: MoneyDriver; snapshot: MoneySnapshot }) {
  if (!record) return null;
  const amount = moneyText(record.amount, record.currency);
  return (
    <Banner tone="green" title={`${DONE[action]} ${amount} ${action === "refund" ? "to" : "on"} ${record.card}`}>
      {action === "refund" && <p>It reaches the customer in 5–10 business days.</p>}
      {action === "void" && <p>The hold on the card is released.</p>}
      {record.transactionId && (
        <p className="mt-0.5">
          <CopyId id={record.transactionId} label="Copy refund id" />
        </p>
      )}
    </Banner>
  );
}

type FooterProps = Pick<
  MoneyDialogProps,
  "driver" | "snapshot" | "submitLabel" | "danger" | "impossible" | "onClose"
> & {
  formId: string;
};

/** The button on the right is one element in every state, so that the keyboard's focus stays on it. */
function Footer({ driver, snapshot, submitLabel, danger, impossible, formId, onClose }: FooterProps) {
  const { state, subject } = snapshot;
  switch (state.step) {
    case "done":
      return (
        <>
          {null}
          <Button key="main" variant="primary" onClick={onClose}>
            Done
          </Button>
        </>
      );
    case "unknown":
      return (
        <>
          <Button key="other" pending={state.checking} onClick={() => void driver.check()}>
            Check status
          </Button>
          <Button
            key="main"
            variant="primary"
            onClick={() => (state.retryable ? void driver.retry() : driver.forget())}
          >
            {state.retryable ? "Retry safely" : "I have checked it myself"}
          </Button>
        </>
      );
    default: {
      const sending = state.step === "sending";
      return (
        <>
          <Button key="other" onClick={onClose} disabled={sending}>
            Cancel
          </Button>
          <Button
            key="main"
            type="submit"
            form={formId}
            variant={danger ? "danger" : "primary"}
            pending={sending}
            disabled={subject === null || impossible !== null}
          >
            {sending ? (state.retry ? "Asking again…" : "Sending…") : submitLabel}
          </Button>
        </>
      );
    }
  }
}

/** A driver for as long as the dialog is open: fresh amounts when it opens and whenever its tab comes back. */
export function useMoneyDriver(action: MoneyAction, paymentId: string): [MoneyDriver, MoneySnapshot] {
  const { mode, merchant } = useDashboard();
  const queries = useQueryClient();
  const [driver] = useState(() => {
    const moved = () => {
      void queries.invalidateQueries({ queryKey: ["transactions"] });
      void queries.invalidateQueries({ queryKey: ["payment", paymentId] });
    };
    return new MoneyDriver(action, paymentId, browserMoneyPorts({ mode, merchantId: merchant.id }, paymentId, moved));
  });
  const snapshot = useSyncExternalStore(driver.subscribe, driver.getSnapshot, driver.getSnapshot);

  useEffect(() => {
    const refresh = () => {
      if (document.visibilityState === "visible") void driver.refresh();
    };
    void driver.open();
    window.addEventListener("focus", refresh);
    document.addEventListener("visibilitychange", refresh);
    return () => {
      window.removeEventListener("focus", refresh);
      document.removeEventListener("visibilitychange", refresh);
      driver.close();
    };
  }, [driver]);
  return [driver, snapshot];
}

/** Focus and selection when the field appears: the amount is what most people came to change. */
function takeFocus(input: HTMLInputElement | null): void {
  input?.focus({ preventScroll: true });
  input?.select();
}

type AmountFieldProps = {
  /** The most it may be, in minor units. */
  most: number;
  currency: string;
  /** As it is typed, in major units. */
  value: string;
  error: string | null;
  onChange: (value: string) => void;
};

/** How much of it: all there is, or a part. */
export function AmountField({ most, currency, value, error, onChange }: AmountFieldProps) {
  return (
    <Field label="Amount" hint={`Up to ${moneyText(most, currency)}`} error={error}>
      {(field) => (
        <AmountInput
          {...field}
          name="amount"
          currency={currency}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

type AmountInputProps = Omit<ComponentProps<"input">, "type" | "ref"> & { currency: string };

/** An amount in major units, with its currency beside it. */
function AmountInput({ currency, ...rest }: AmountInputProps) {
  return (
    <div className="relative">
      <Input
        {...rest}
        ref={takeFocus}
        inputMode="decimal"
        autoComplete="off"
        className="pr-12 font-mono tabular-nums"
      />
      <span
        aria-hidden="true"
        className="pointer-events-none absolute inset-y-0 right-3 flex items-center text-soft text-xs"
      >
        {currency}
      </span>
    </div>
  );
}

/** What was taken, what went back, and what can still be refunded: above every refund's form. */
export function RefundFacts({ subject }: { subject: MoneySubject }) {
  const { captured, refunded, refundable, currency } = subject;
  const underWay = captured - refunded - refundable;
  return (
    <Facts
      className="rounded-md border px-3 py-1.5"
      items={[
        { term: "Captured", value: <Money amount={captured} currency={currency} /> },
        { term: "Already refunded", value: <Money amount={refunded} currency={currency} /> },
        ...(underWay > 0 ? [{ term: "Being refunded", value: <Money amount={underWay} currency={currency} /> }] : []),
        { term: "Remaining", value: <Money amount={refundable} currency={currency} className="font-semibold" /> },
      ]}
    />
  );
}
