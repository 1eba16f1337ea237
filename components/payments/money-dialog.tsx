"use client";

import { useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { type FormEvent, type ReactNode, useEffect, useId, useState, useSyncExternalStore } from "react";
import { Banner, FormFailure } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { CopyId } from "@/components/ui/copy";
import { Dialog } from "@/components/ui/dialog";
import { Skeleton } from "@/components/ui/skeleton";
import { useDashboard } from "@/lib/client/dashboard-context";
import { reasonAgainst } from "@/lib/client/payments/action-reasons";
import { MoneyDriver, type MoneySnapshot } from "@/lib/client/payments/money-action";
import type { Refusal } from "@/lib/client/payments/money-attempt";
import {
  browserMoneyPorts,
  type MoneyAccess,
  merchantAccess,
  type StaffMoney,
  staffAccess,
} from "@/lib/client/payments/money-ports";
import type { MoneyAction } from "@/lib/client/payments/money-record";
import { moneyText } from "@/lib/contract/format";
import type { UserPermission } from "@/lib/contract/permissions";
import { UnknownOutcome } from "./unknown-outcome";

type MoneyDialogProps = {
  work: MoneyWork;
  title: string;
  /** Label of the submit button, with amount and card. */
  submitLabel: string;
  /** Irreversible, and takes money from the merchant. */
  danger?: boolean;
  /** The refusal is already shown at its field. */
  isFieldRefused: boolean;
  onSubmit: () => void;
  onClose: () => void;
  /** The form, rendered once the payment is loaded. */
  children: ReactNode;
};

/**
 * Frame of every money dialog. It follows the driver's state and shows nothing as done before it is
 * confirmed.
 */
export function MoneyDialog({ work, title, onSubmit, onClose, children, isFieldRefused, ...button }: MoneyDialogProps) {
  const formId = useId();
  const { driver, snapshot, refusal, can } = work;
  const { state, subject } = snapshot;
  const impossible = subject && reasonAgainst(driver.action, subject, can);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (state.step === "editing" || state.step === "refused") onSubmit();
  };
  return (
    <Dialog
      onClose={onClose}
      title={state.step === "unknown" ? "Outcome unknown" : title}
      dismissible={state.step !== "sending"}
      footer={<Footer {...button} work={work} impossible={impossible !== null} formId={formId} onClose={onClose} />}
    >
      <div aria-live="polite">
        {state.step === "unknown" && <UnknownOutcome driver={driver} snapshot={snapshot} state={state} />}
        {state.step === "done" && <Done driver={driver} snapshot={snapshot} />}
        {state.step === "sending" && (
          <p className="sr-only">{state.retry ? "Retrying under the same key" : "Sending"}</p>
        )}
      </div>
      {state.step !== "unknown" && state.step !== "done" && (
        <form id={formId} onSubmit={submit} noValidate className="flex flex-col gap-4">
          <Notices
            snapshot={snapshot}
            refusal={isFieldRefused ? null : refusal}
            impossible={impossible}
            settings={work.settings ?? null}
          />
          {subject === null ? <LoadingForm /> : <fieldset className="contents">{children}</fieldset>}
        </form>
      )}
    </Dialog>
  );
}

type NoticesProps = {
  snapshot: MoneySnapshot;
  refusal: Refusal | null;
  impossible: string | null;
  settings: string | null;
};

function Notices({ snapshot: { changes, readError }, refusal, impossible, settings }: NoticesProps) {
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
        <Banner tone="red" role="alert" title="The payment couldn’t be loaded, so nothing was sent">
          {readError}
        </Banner>
      )}
      <FormFailure failure={{ text: refusal?.detail ?? null, requestId: refusal?.requestId ?? null }}>
        {refusal?.code === "processor_not_configured" && settings && (
          <Link href={settings} className="font-medium text-accent underline">
            Go to processors
          </Link>
        )}
      </FormFailure>
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

type FooterProps = Pick<MoneyDialogProps, "work" | "submitLabel" | "danger" | "onClose"> & {
  impossible: boolean;
  formId: string;
};

/** The right button is one element in every state, so that it keeps the focus. */
function Footer({ work: { driver, snapshot }, submitLabel, danger, impossible, formId, onClose }: FooterProps) {
  const { state, subject } = snapshot;
  switch (state.step) {
    case "done":
      return (
        <>
          {null}
          <Button key="main" ref={takeLostFocus} variant="primary" onClick={onClose}>
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
            ref={takeLostFocus}
            variant="primary"
            onClick={() => (state.retryable ? void driver.retry() : driver.forget())}
          >
            {state.retryable ? "Retry safely" : "I’ve checked it myself"}
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
            disabled={subject === null || impossible}
          >
            {sending ? (state.retry ? "Retrying…" : "Sending…") : submitLabel}
          </Button>
        </>
      );
    }
  }
}

/** Enter in a field submits the form and removes the field that had the focus. */
function takeLostFocus(button: HTMLButtonElement | null): void {
  if (document.activeElement === document.body) button?.focus();
}

export type MoneyWork = {
  driver: MoneyDriver;
  snapshot: MoneySnapshot;
  refusal: Refusal | null;
  can: (permission: UserPermission) => boolean;
  /** Page where processors are connected, for users who may. */
  settings?: string | null;
};

/** A money action of the signed-in merchant. Lists and pages of the payment are refreshed after it. */
export function useMerchantMoney(action: MoneyAction, paymentId: string): MoneyWork {
  const { mode, merchant, can } = useDashboard();
  const queries = useQueryClient();
  const work = useMoneyWork(action, paymentId, merchantAccess(mode, merchant.id), () => {
    void queries.invalidateQueries({ queryKey: ["transactions"] });
    void queries.invalidateQueries({ queryKey: ["payment", paymentId] });
  });
  return { ...work, can, settings: can("settings.manage") ? `/${mode}/settings/processors` : null };
}

/** A money action by support on the merchant's behalf. */
export function useStaffMoney(action: MoneyAction, money: StaffMoney): MoneyWork {
  const router = useRouter();
  const work = useMoneyWork(action, money.paymentId, staffAccess(money), () => router.refresh());
  return { ...work, can: () => true };
}

/** Keeps a driver while the dialog is open, and refreshes amounts when its tab is shown again. */
function useMoneyWork(
  action: MoneyAction,
  paymentId: string,
  access: MoneyAccess,
  onChange: () => void,
): Omit<MoneyWork, "can"> {
  const [driver] = useState(() => new MoneyDriver(action, paymentId, browserMoneyPorts(access, paymentId, onChange)));
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
  return { driver, snapshot, refusal: snapshot.state.step === "refused" ? snapshot.state.refusal : null };
}
