"use client";

import { type SubmitEvent, useRef, useState } from "react";
import type { FieldError } from "@/lib/contract/errors";
import { ApiError, failureText } from "./api";
import { newIdempotencyKey } from "./payments/money-ports";

/** What concerns a form as a whole. */
export type Failure = { readonly text: string | null; readonly requestId?: string | null };

type Errors = Readonly<Record<string, string>>;
type ApiRefusal = Pick<FieldError, "param" | "message">;

/** Why a form's work ended without success, in words for the user; `field`, if named, takes the focus. */
export class FormRefusal extends Error {
  override readonly name = "FormRefusal";
  constructor(
    message: string,
    readonly field?: string,
  ) {
    super(message);
  }
}

type Options<Values> = {
  /** Field → its error. Shown once the field was left or the form submitted; the form is sent only without errors. */
  check?: (values: Values) => Readonly<Record<string, string | undefined>>;
  /** The field that a refusal of the API belongs to, and its words there; null = above the form. */
  place?: (refusal: ApiRefusal, values: Values) => readonly [field: string, message: string] | null;
};

type FormField<Value> = {
  name: string;
  value: Value;
  error: string | undefined;
  onChange: (event: { target: { value: string } }) => void;
  onBlur: () => void;
};

export type FormState<Values> = {
  values: Values;
  saved: Values;
  set(changes: Partial<Values>): void;
  /** Value, error and handlers of a field, for its control. */
  field<Name extends keyof Values & string>(name: Name): FormField<Values[Name]>;
  /** The same for a choice instead of text. */
  choice<Name extends keyof Values & string>(
    name: Name,
  ): { value: Values[Name]; error: string | undefined; onChange: (value: Values[Name]) => void };
  errorOf(name: string): string | undefined;
  /** Fields that differ from the saved values. */
  changed: (keyof Values & string)[];
  dirty: boolean;
  pending: boolean;
  failure: Failure;
  /** Takes these values, or those that are in the form, as saved. */
  keep(values?: Values): void;
  /** Resets to the saved values. */
  discard(): void;
  clearFailure(): void;
  /** Runs the work, never twice at a time. What it throws shows in the form; what was typed stays. */
  submit(work: () => Promise<void>): (event?: SubmitEvent) => Promise<void>;
};

const FINE: Failure = { text: null };

/** The values of a form, and its way to the server: checked, pending, then done or refused. */
export function useForm<Values extends object>(initial: Values, options: Options<Values> = {}): FormState<Values> {
  const [saved, setSaved] = useState(initial);
  const [values, setValues] = useState(initial);
  const [left, setLeft] = useState<readonly string[]>([]);
  const [tried, setTried] = useState(false);
  const [refused, setRefused] = useState<Errors>({});
  const [failure, setFailure] = useState(FINE);
  const [pending, setPending] = useState(false);
  const wrong = options.check?.(values) ?? {};
  const isLeft = (name: string) => tried || left.includes(fieldOf(name));
  const errorOf = (name: string) => refused[name] ?? (isLeft(name) ? wrong[name] : undefined);
  const names = Object.keys(values) as (keyof Values & string)[];
  const changed = names.filter((name) => JSON.stringify(values[name]) !== JSON.stringify(saved[name]));

  function set(changes: Partial<Values>) {
    setValues((before) => ({ ...before, ...changes }));
    setRefused((before) => Object.fromEntries(Object.entries(before).filter(([name]) => !(fieldOf(name) in changes))));
  }

  function keep(next: Values = values) {
    setSaved(next);
    setValues(next);
    setLeft([]);
    setTried(false);
    setRefused({});
    setFailure(FINE);
  }

  async function run(work: () => Promise<void>, event?: SubmitEvent) {
    event?.preventDefault();
    if (pending) return;
    setTried(true);
    const faults = Object.keys(wrong).filter((name) => wrong[name] !== undefined);
    if (faults.length > 0) return focusFirst(event, faults);
    setPending(true);
    setFailure(FINE);
    setRefused({});
    try {
      await work();
    } catch (error) {
      const found = failureOf(error, (refusal) => (options.place ?? placeByName)(refusal, values));
      setFailure(found);
      setRefused(found.fields);
      focusFirst(event, error instanceof FormRefusal && error.field ? [error.field] : Object.keys(found.fields));
    } finally {
      setPending(false);
    }
  }

  return {
    values,
    saved,
    set,
    field: (name) => ({
      name,
      value: values[name],
      error: errorOf(name),
      onChange: ({ target }) => set({ [name]: target.value } as Partial<Values>),
      onBlur: () => afterPress(() => setLeft((before) => [...before, name])),
    }),
    choice: (name) => ({
      value: values[name],
      error: errorOf(name),
      onChange: (value) => set({ [name]: value } as unknown as Partial<Values>),
    }),
    errorOf,
    changed,
    dirty: changed.length > 0,
    pending,
    failure,
    keep,
    discard: () => keep(saved),
    clearFailure: () => setFailure(FINE),
    submit: (work) => (event) => run(work, event),
  };
}

/**
 * Works once no pointer presses anything: an error that shows between press and release moves what was pressed from under the
 * pointer, and the click is lost.
 */
function afterPress(work: () => void): void {
  if (document.querySelector(":active") === null) work();
  else window.addEventListener("pointerup", () => setTimeout(work), { once: true, capture: true });
}

/** "origins.2" is a part of `origins`. */
const fieldOf = (name: string): string => name.replace(/\..*/, "");

const placeByName = ({ param, message }: ApiRefusal, values: object) =>
  param in values ? ([param, message] as const) : null;

function failureOf(error: unknown, place: (refusal: ApiRefusal) => readonly [string, string] | null) {
  if (error instanceof FormRefusal) return { text: error.message, fields: {} };
  if (!(error instanceof ApiError)) return { text: failureText(error), fields: {} };
  const named = error.errors.length > 0 ? error.errors : [{ param: error.param ?? "", message: error.detail }];
  const { fields, others } = placeRefusals(named, place);
  const text = others.length > 0 ? error.detail : null;
  return { text, fields, requestId: text && error.requestId };
}

/** Refusals by field of a form, and those that belong to none. */
export function placeRefusals(
  refusals: readonly ApiRefusal[],
  place: (refusal: ApiRefusal) => readonly [field: string, message: string] | null,
): { fields: Errors; others: string[] } {
  const fields: Record<string, string> = {};
  const others: string[] = [];
  for (const refusal of refusals) {
    const placed = place(refusal);
    if (placed === null) others.push(refusal.message);
    else fields[placed[0]] = fields[placed[0]] ? `${fields[placed[0]]} ${placed[1]}` : placed[1];
  }
  return { fields, others };
}

/** The first field with an error gets the focus. The form's fields carry their names. */
function focusFirst(event: SubmitEvent | undefined, names: string[]): void {
  const form = event?.target;
  if (!(form instanceof HTMLFormElement)) return;
  const field = [...form.elements].find((element) => names.includes(element.getAttribute("name") ?? ""));
  if (field instanceof HTMLElement) field.focus();
}

/** The page is about to unload: this never resolves, so that a button stays busy until then. */
export const neverEnds = (): Promise<never> => new Promise(() => {});

export function leaveFor(path: string): Promise<never> {
  window.location.assign(path);
  return neverEnds();
}

/** Sends under one key for a form, so that a double click and a retry after a lost answer make one thing. */
export function useOneKey(): <T>(send: (idempotencyKey: string) => Promise<T>) => Promise<T> {
  const key = useRef<string>(null);
  return async (send) => {
    key.current ??= newIdempotencyKey();
    try {
      return await send(key.current);
    } catch (error) {
      // These answers use up the key: the next submit is another request.
      if (error instanceof ApiError && (error.status === 422 || error.code === "idempotency_key_reused")) {
        key.current = null;
      }
      throw error;
    }
  };
}
