"use client";

import { type SubmitEvent, useState } from "react";
import { ApiError, failureText } from "./api";

export type Failure = {
  /** What concerns the form as a whole. */
  readonly text: string | null;
  /** Field → what is wrong with it. */
  readonly fields: Readonly<Record<string, string>>;
  readonly requestId: string | null;
};

type Submit = {
  readonly pending: boolean;
  readonly failure: Failure;
  /** Runs the work, never twice at a time. What it throws shows in `failure`; what was typed stays. */
  run(work: () => Promise<void>, event?: SubmitEvent): Promise<void>;
  /** Shows a refusal that was found without asking the server. */
  refuse(failure: Partial<Failure>): void;
  clear(): void;
};

const NOTHING: Failure = { text: null, fields: {}, requestId: null };

/** A form's way to the server: pending, then done or refused. `fields` are those that can show a refusal themselves. */
export function useSubmit(fields: readonly string[]): Submit {
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState(NOTHING);

  async function run(work: () => Promise<void>, event?: SubmitEvent) {
    event?.preventDefault();
    if (pending) return;
    setPending(true);
    setFailure(NOTHING);
    try {
      await work();
    } catch (error) {
      const found = failureOf(error, fields);
      setFailure(found);
      focusFirst(event, Object.keys(found.fields));
    } finally {
      setPending(false);
    }
  }

  return {
    pending,
    failure,
    run,
    refuse: (found) => setFailure({ ...NOTHING, ...found }),
    clear: () => setFailure(NOTHING),
  };
}

function failureOf(error: unknown, names: readonly string[]): Failure {
  if (!(error instanceof ApiError)) return { ...NOTHING, text: failureText(error) };
  const own = error.errors.filter(({ param }) => names.includes(param));
  const fields = Object.fromEntries(own.map(({ param, message }) => [param, message]));
  const isComplete = own.length > 0 && own.length === error.errors.length;
  return { text: isComplete ? null : error.detail, fields, requestId: isComplete ? null : error.requestId };
}

/** The first field at fault, where a person goes on. The form's fields carry their names. */
function focusFirst(event: SubmitEvent | undefined, names: string[]): void {
  const form = event?.target;
  if (!(form instanceof HTMLFormElement)) return;
  const field = [...form.elements].find((element) => names.includes(element.getAttribute("name") ?? ""));
  if (field instanceof HTMLElement) field.focus();
}
