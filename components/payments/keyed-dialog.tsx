"use client";

import { type ComponentProps, type FormEvent, type ReactNode, useId } from "react";
import { Banner, FormFailure } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import type { KeyedAction } from "@/lib/client/payments/keyed-action";
import type { UnknownWhy } from "@/lib/client/payments/money-attempt";

type KeyedDialogProps<Data> = Pick<ComponentProps<typeof Dialog>, "description" | "size"> & {
  action: KeyedAction<Data>;
  /** Names the effect: "Charge $19.99 to Visa •••• 4242". */
  submitLabel: string;
  /** Label of the button that closes it without an effect. */
  cancelLabel?: string;
  danger?: boolean;
  disabled?: boolean;
  /** False if a field is wrong: nothing is sent then. */
  check?: () => boolean;
  /** The confirmed result; not needed if the dialog closes then. */
  done?: (data: Data) => ReactNode;
  onClose: () => void;
  children?: ReactNode;
};

const WHY: Record<UnknownWhy, string> = {
  no_answer: "The request was sent, but no response came back.",
  pending: "The processor has the request but no final response yet. This page shows the outcome once it is known.",
  server_error: "The service failed while it handled the request.",
  unanswerable: "The request was retried with the same key, but no response came back.",
};

/**
 * A dialog around one request with an idempotency key. It shows nothing as done before it is confirmed, and
 * isn't closed while the request is sent.
 */
export function KeyedDialog<Data>(props: KeyedDialogProps<Data>) {
  const { action, check, done, onClose, children, description, size } = props;
  const formId = useId();
  const { state, title } = action;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (check?.() !== false) void action.run();
  };
  const isOpen = state.step === "editing" || state.step === "sending" || state.step === "refused";
  const refusal = state.step === "refused" ? state.refusal : null;
  return (
    <Dialog
      title={state.step === "unknown" ? "Outcome unknown" : title}
      {...(isOpen && description !== undefined && { description })}
      {...(size && { size })}
      dismissible={state.step !== "sending"}
      onClose={onClose}
      footer={<Footer {...props} formId={formId} />}
    >
      <div aria-live="polite">
        {state.step === "done" && done?.(state.data)}
        {state.step === "unknown" && (
          <Banner tone="amber" title={`We don’t know yet whether it went through: ${title.replace(/\?$/, "")}`}>
            <p>{WHY[state.why]}</p>
            {state.why !== "pending" && (
              <p className="mt-1">
                {state.retryable
                  ? "Retrying sends the same request with the same idempotency key. If the first one went through, you get its result. It never runs twice."
                  : "The idempotency key of this request has expired, so repeating it isn’t safe. Check first whether it went through."}
              </p>
            )}
          </Banner>
        )}
        {state.step === "sending" && <p className="sr-only">Sending</p>}
      </div>
      {isOpen && (
        <form id={formId} onSubmit={submit} noValidate className="flex flex-col gap-4">
          <FormFailure failure={{ text: refusal?.detail ?? null, requestId: refusal?.requestId ?? null }} />
          {children}
        </form>
      )}
    </Dialog>
  );
}

/** The right button is one element in every state, so that it keeps the focus. */
function Footer<Data>(props: KeyedDialogProps<Data> & { formId: string }) {
  const { action, submitLabel, cancelLabel = "Cancel", danger = false, disabled = false, formId, onClose } = props;
  switch (action.state.step) {
    case "done":
      return (
        <>
          {null}
          <Button key="main" variant="primary" onClick={onClose}>
            Done
          </Button>
        </>
      );
    case "unknown": {
      const { why, retryable } = action.state;
      const isPending = why === "pending";
      return (
        <>
          {!isPending && (
            <Button key="other" onClick={onClose}>
              Close
            </Button>
          )}
          <Button
            key="main"
            variant="primary"
            onClick={isPending ? onClose : retryable ? () => void action.run() : action.forget}
          >
            {isPending ? "Close" : retryable ? "Retry safely" : "I have checked"}
          </Button>
        </>
      );
    }
    default: {
      const sending = action.state.step === "sending";
      return (
        <>
          <Button key="other" onClick={onClose} disabled={sending}>
            {cancelLabel}
          </Button>
          <Button
            key="main"
            type="submit"
            form={formId}
            variant={danger ? "danger" : "primary"}
            pending={sending}
            disabled={disabled}
          >
            {sending ? "Sending…" : submitLabel}
          </Button>
        </>
      );
    }
  }
}
