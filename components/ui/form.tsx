"use client";

import { Eye, EyeOff } from "lucide-react";
import { useRouter } from "next/navigation";
import { type ComponentProps, type ComponentType, type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { FormState } from "@/lib/client/use-form";
import { currencyDigits, isSupportedCurrency } from "@/lib/contract/currencies";
import { readTypedAmount } from "@/lib/contract/typed-amount";
import { AmountError } from "./amount-error";
import { FormFailure } from "./banner";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { Field, type FieldProps, Input, Select, Textarea } from "./field";
import { useHydrated } from "./hooks";
import { cn } from "./styles";

type FormProps = Omit<ComponentProps<"form">, "onSubmit"> & {
  form: Pick<FormState<object>, "submit" | "failure" | "dirty" | "pending">;
  onSubmit: () => Promise<void>;
  /** Enabled only after hydration: the browser never submits the form itself, so no typed text is lost. */
  live?: boolean;
  /** Warns before typed text is lost. */
  guarded?: boolean;
};

/** A form of `useForm`, with its general errors on top. */
export function Form({ form, onSubmit, live = false, guarded = false, className, children, ...rest }: FormProps) {
  const hydrated = useHydrated();
  const column = className ?? cn("flex min-w-0 flex-col", live ? "gap-5" : "gap-4");
  const content = (
    <>
      <FormFailure failure={form.failure} />
      {children}
    </>
  );
  return (
    <form method="post" noValidate {...rest} onSubmit={form.submit(onSubmit)} className={live ? "min-w-0" : column}>
      {live ? (
        <fieldset disabled={!hydrated} className={column}>
          {content}
        </fieldset>
      ) : (
        content
      )}
      {guarded && <UnsavedGuard dirty={form.dirty && !form.pending} />}
    </form>
  );
}

type FormDialogProps = Pick<FormProps, "form" | "onSubmit"> &
  Pick<ComponentProps<typeof Dialog>, "title" | "description" | "size"> & {
    submitLabel: ReactNode;
    cancelLabel?: string;
    danger?: boolean;
    /** Disabled until required fields are filled in. */
    disabled?: boolean;
    /** The button to focus if there is no field. */
    focus?: "submit" | "cancel";
    onClose: () => void;
    children?: ReactNode;
  };

/**
 * A dialog with a form: only its buttons close it, and not while it is pending. Render it only while open.
 */
export function FormDialog({
  form,
  onSubmit,
  submitLabel,
  cancelLabel = "Cancel",
  danger = false,
  disabled = false,
  focus,
  onClose,
  children,
  ...content
}: FormDialogProps) {
  const id = useId();
  return (
    <Dialog
      {...content}
      onClose={onClose}
      dismissible={!form.pending}
      footer={
        <>
          <Button onClick={onClose} disabled={form.pending} data-autofocus={focus === "cancel" || undefined}>
            {cancelLabel}
          </Button>
          <Button
            type="submit"
            form={id}
            variant={danger ? "danger" : "primary"}
            pending={form.pending}
            disabled={disabled}
            data-autofocus={focus === "submit" || undefined}
          >
            {submitLabel}
          </Button>
        </>
      }
    >
      <Form id={id} form={form} onSubmit={onSubmit}>
        {children}
      </Form>
    </Dialog>
  );
}

type InField<Props> = Omit<Props, "value" | "className"> &
  Omit<FieldProps, "children" | "className"> & { value: string; className?: string; fieldClassName?: string };

/** Wraps a control in a field with label, hint and error. */
function inField<Props>(Control: ComponentType<Props>) {
  return function ControlField(props: InField<Props>) {
    const { label, hint, error, optional, hideLabel, fieldClassName, ...rest } = props;
    return (
      <Field {...{ label, hint, error, optional, hideLabel }} {...(fieldClassName && { className: fieldClassName })}>
        {(control) => <Control {...(rest as unknown as Props)} {...control} />}
      </Field>
    );
  };
}

export const TextField = inField(Input);
export const TextareaField = inField(Textarea);
export const SelectField = inField(Select);
export const PasswordField = inField(PasswordInput);
export const CodeField = inField(CodeInput);

/** A password field with a show button. */
function PasswordInput({ className, ...rest }: Omit<ComponentProps<"input">, "type">) {
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : Eye;
  return (
    <div className="relative">
      <input
        autoCapitalize="off"
        autoCorrect="off"
        spellCheck={false}
        {...rest}
        type={shown ? "text" : "password"}
        className={cn("control pr-9", className)}
      />
      <button
        type="button"
        aria-label="Show password"
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
        className="absolute inset-y-0 right-0 flex w-9 items-center justify-center rounded text-soft hover:text-ink focus-visible:outline-offset-[-3px]"
      >
        <Icon aria-hidden="true" className="size-4" />
      </button>
    </div>
  );
}

/** For six digits, or a recovery code. */
function CodeInput(props: ComponentProps<"input">) {
  return (
    <Input
      {...props}
      autoComplete="one-time-code"
      autoCapitalize="off"
      spellCheck={false}
      maxLength={40}
      className="font-mono tabular-nums tracking-wider"
    />
  );
}

type Navigation = EventTarget & { currentEntry: { index: number } | null };
type NavigateEvent = Event & { navigationType: string; destination: { index: number } };

type UnsavedGuardProps = {
  dirty: boolean;
  /** The question and the possible loss, if that isn't typed text. */
  title?: string;
  description?: string;
};

/** While `dirty`, asks before a link, the back button, a reload or a closed tab discards typed text. */
export function UnsavedGuard({
  dirty,
  title = "Leave without saving?",
  description = "Your changes on this page aren’t saved.",
}: UnsavedGuardProps) {
  const router = useRouter();
  const [leave, setLeave] = useState<(() => void) | null>(null);
  const leaving = useRef(false);

  useEffect(() => {
    if (!dirty) return;
    leaving.current = false;
    const stopLinks = stopLinksUntil(leaving, (href) => setLeave(() => () => router.push(href)));
    const stopHistory = stopHistoryUntil(leaving, (delta) => setLeave(() => () => window.history.go(delta)));
    const beforeUnload = (event: BeforeUnloadEvent) => {
      if (!leaving.current) event.preventDefault();
    };
    window.addEventListener("beforeunload", beforeUnload);
    return () => {
      stopLinks();
      stopHistory();
      window.removeEventListener("beforeunload", beforeUnload);
    };
  }, [dirty, router]);

  if (leave === null) return null;
  return (
    <Dialog
      onClose={() => setLeave(null)}
      size="sm"
      title={title}
      description={description}
      footer={
        <>
          <Button data-autofocus onClick={() => setLeave(null)}>
            Stay
          </Button>
          <Button
            variant="danger"
            onClick={() => {
              leaving.current = true;
              setLeave(null);
              leave();
            }}
          >
            Leave
          </Button>
        </>
      }
    />
  );
}

type Flag = { readonly current: boolean };

function stopLinksUntil(leaving: Flag, ask: (href: string) => void): () => void {
  const onClick = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[href]") : null;
    const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0;
    if (!link || elsewhere || leaving.current || link.target === "_blank" || link.origin !== location.origin) return;
    if (link.pathname === location.pathname && link.search === location.search) return;
    event.preventDefault();
    event.stopPropagation();
    ask(link.pathname + link.search + link.hash);
  };
  document.addEventListener("click", onClick, { capture: true });
  return () => document.removeEventListener("click", onClick, { capture: true });
}

/** With the Navigation API, a history step can be canceled once per user activation. */
function stopHistoryUntil(leaving: Flag, ask: (delta: number) => void): () => void {
  const { navigation } = window as { navigation?: Navigation };
  const onNavigate = (event: Event) => {
    const { navigationType, destination } = event as NavigateEvent;
    if (leaving.current || navigationType !== "traverse" || !event.cancelable) return;
    event.preventDefault();
    ask(destination.index - (navigation?.currentEntry?.index ?? 0));
  };
  navigation?.addEventListener("navigate", onNavigate);
  return () => navigation?.removeEventListener("navigate", onNavigate);
}

type Change = (event: { target: { value: string } }) => void;
type PriceFieldProps = Omit<InField<ComponentProps<"input">>, "onChange" | "hint"> & {
  currency: string;
  onChange: Change;
};

/** A price as typed; an ambiguous amount offers its two meanings. */
export function PriceField({ label, error, optional, fieldClassName, currency, ...rest }: PriceFieldProps) {
  const isTyped = rest.value.trim() !== "" && isSupportedCurrency(currency);
  const typed = error && isTyped ? readTypedAmount(rest.value, currency) : null;
  const message = typed?.minor === null && (
    <AmountError {...typed} onChoose={(value) => rest.onChange({ target: { value } })} />
  );
  return (
    // The error's reserved line replaces most of the gap below.
    <Field {...{ label, optional }} error={message || error} reserved className={cn("-mb-4", fieldClassName)}>
      {(control) => <PriceInput {...rest} {...control} currency={currency} />}
    </Field>
  );
}

/** A price in major units with its currency beside it, and as many decimals as the currency has. */
function PriceInput({ currency, ...props }: { currency: string } & ComponentProps<"input">) {
  const digits = isSupportedCurrency(currency) ? currencyDigits(currency) : 2;
  return (
    <span className="relative block">
      <Input
        {...props}
        inputMode="decimal"
        autoComplete="off"
        placeholder={(0).toFixed(digits)}
        className="w-full pr-14 tabular-nums"
      />
      <span
        aria-hidden="true"
        className="pointer-events-none absolute inset-y-0 right-3 flex items-center text-soft text-xs"
      >
        {currency}
      </span>
    </span>
  );
}
