"use client";

import { type SubmitEvent, useRef, useState } from "react";
import type { FieldError } from "@/lib/contract/errors";
import { ApiError, failureText } from "./api";
import { newIdempotencyKey } from "./payments/money-ports";

/** Error of a form as a whole. */
export type Failure = { readonly text: string | null; readonly requestId?: string | null };

type Errors = Readonly<Record<string, string>>;
type ApiRefusal = Pick<FieldError, "param" | "message">;

/** Failure of a form, with a message for users; `field`, if set, takes the focus. */
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
  /** Field → its error. Shown after blur or submit; the form is sent only without errors. */
  check?: (values: Values) => Readonly<Record<string, string | undefined>>;
  /** The field for a refusal of the API, and the message there; null = above the form. */
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
  /** Value, error and handlers for a field's control. */
  field<Name extends keyof Values & string>(name: Name): FormField<Values[Name]>;
  /** The same for a choice instead of text. */
  choice<Name extends keyof Values & string>(
    name: Name,
  ): { name: string; value: Values[Name]; error: string | undefined; onChange: (value: Values[Name]) => void };
  errorOf(name: string): string | undefined;
  /** Fields that differ from the saved values. */
  changed: (keyof Values & string)[];
  dirty: boolean;
  pending: boolean;
  failure: Failure;
  /** Marks these values, or the current ones, as saved. */
  keep(values?: Values): void;
  /** Resets to the saved values. */
  discard(): void;
  clearFailure(): void;
  /** Runs the work, never twice at a time. Errors show in the form, which keeps its values. */
  submit(work: () => Promise<void>): (event?: SubmitEvent) => Promise<void>;
};

const FINE: Failure = { text: null };

/** State of a form and its submission: validated, pending, then done or refused. */
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

  function keep(next?: Values) {
    setSaved(next ?? values);
    // Without other values, text that was typed while they were saved stays.
    if (next) setValues(next);
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
      name,
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
 * Runs the work when no pointer is pressed: an error shown between press and release would move the target,
 * and the click would be lost.
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

/** Refusals by form field, and those that belong to none. */
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

/** Focuses the first field with an error. Fields, and fieldsets of choices, carry their names. */
function focusFirst(event: SubmitEvent | undefined, names: string[]): void {
  const form = event?.target;
  if (!(form instanceof HTMLFormElement)) return;
  const field = [...form.elements].find((element) => names.includes(element.getAttribute("name") ?? ""));
  const control = field instanceof HTMLFieldSetElement ? chosenIn(field) : field;
  if (control instanceof HTMLElement) control.focus();
}

/** Never resolves, so that a button stays busy until the page unloads. */
export const neverEnds = (): Promise<never> => new Promise(() => {});

export function leaveFor(path: string): Promise<never> {
  window.location.assign(path);
  return neverEnds();
}

/**
 * Sends with one key per form, so that a double click or a retry after a lost response creates one object.
 */
export function useOneKey(): <T>(send: (idempotencyKey: string) => Promise<T>) => Promise<T> {
  const key = useRef<string>(null);
  return async (send) => {
    key.current ??= newIdempotencyKey();
    try {
      return await send(key.current);
    } catch (error) {
      // These responses use up the key: the next submit is a new request.
      if (error instanceof ApiError && (error.status === 422 || error.code === "idempotency_key_reused")) {
        key.current = null;
      }
      throw error;
    }
  };
}

const chosenIn = (choices: HTMLFieldSetElement) =>
  choices.querySelector("input:checked") ?? choices.querySelector("input");
