"use client";

import { useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { Field, type FieldControlProps, Input, Select, Textarea } from "@/components/ui/field";
import { useSandboxKey } from "@/lib/client/docs/sandbox-key";
import {
  exampleBody,
  IDEMPOTENCY_KEY,
  requestOf,
  sandboxElsewhere,
  sendRequest,
  type TriedEndpoint,
  type TriedProblems,
  type TriedResponse,
} from "@/lib/client/docs/try-request";
import { newIdempotencyKey } from "@/lib/client/payments/money-ports";
import type { OpenApiDocument, ParameterObject } from "@/lib/contract/openapi-document";
import { SandboxKeyPanel } from "./sandbox-key-panel";
import { TriedResponseView } from "./try-response";

/** Latest ids that were created or read here, by prefix, to prefill the next form. */
const lastIds = new Map<string, string>();

type TryFormProps = { endpoint: TriedEndpoint; document: OpenApiDocument };

export function TryForm({ endpoint, document }: TryFormProps) {
  const elsewhere = sandboxElsewhere(document, window.location.host);
  if (elsewhere === null) return <SandboxForm endpoint={endpoint} />;
  return (
    <p className="text-[13px]">
      This address is for live keys. Try it at the{" "}
      <a
        className="text-accent underline underline-offset-2"
        href={`${elsewhere}/docs/reference#${endpoint.operation.operationId}`}
      >
        address for test keys
      </a>
      .
    </p>
  );
}

function SandboxForm({ endpoint }: { endpoint: TriedEndpoint }) {
  const { method, path, parameters, operation, needsKey } = endpoint;
  const key = useSandboxKey();
  const [values, setValues] = useState(() => firstValues(parameters));
  const [body, setBody] = useState(() => exampleBody(endpoint));
  const [problems, setProblems] = useState<TriedProblems>({});
  const [keyMissing, setKeyMissing] = useState(false);
  const [answer, setAnswer] = useState<TriedResponse | null>(null);
  const [failure, setFailure] = useState("");
  const [running, setRunning] = useState<AbortController | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const panel = useRef<HTMLDivElement>(null);

  async function send() {
    const request = requestOf(endpoint, { parameters: values, body });
    setProblems("problems" in request ? request.problems : {});
    setKeyMissing(needsKey && key === null);
    if ("problems" in request) {
      const [first] = Object.keys(request.problems);
      form.current?.querySelector<HTMLElement>(`[name="${first}"]`)?.focus();
      return;
    }
    if (needsKey && key === null) {
      panel.current?.querySelector("input")?.focus();
      return;
    }
    const stop = new AbortController();
    setRunning(stop);
    setFailure("");
    setAnswer(null);
    let latest: TriedResponse | null = null;
    const show = (next: TriedResponse) => {
      latest = next;
      setAnswer(next);
    };
    try {
      await sendRequest(request.request, needsKey ? (key?.secret ?? null) : null, show, stop.signal);
      noteIds(latest);
    } catch (error) {
      const seen = latest as TriedResponse | null;
      if (seen) setAnswer({ ...seen, isOpen: false });
      if (!stop.signal.aborted)
        setFailure(failureOf(error as Error, method, IDEMPOTENCY_KEY in request.request.headers));
    } finally {
      setRunning(null);
    }
  }

  return (
    <div className="space-y-4">
      {needsKey && (
        <div ref={panel}>
          <SandboxKeyPanel missing={keyMissing} />
        </div>
      )}
      <form
        ref={form}
        noValidate
        aria-label={`Try it: ${operation.summary.toLowerCase()}`}
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <p className="break-all font-mono text-xs text-soft">
          {method} {path}
        </p>
        {parameters.map((parameter) => (
          <ParameterField
            key={parameter.name}
            parameter={parameter}
            value={values[parameter.name] ?? ""}
            problem={problems[parameter.name]}
            onChange={(value) => setValues({ ...values, [parameter.name]: value })}
          />
        ))}
        {operation.requestBody && (
          <Field label="Body" optional={!operation.requestBody.required} error={problems.body}>
            {(control) => (
              <Textarea
                {...control}
                name="body"
                rows={Math.min(16, Math.max(3, body.split("\n").length))}
                spellCheck={false}
                className="font-mono text-[12.5px]"
                value={body}
                onChange={(event) => setBody(event.target.value)}
              />
            )}
          </Field>
        )}
        <div className="flex items-center gap-2">
          <Button type="submit" variant="primary" size="sm" pending={running !== null}>
            Send in test mode
          </Button>
          {running && (
            <Button size="sm" onClick={() => running.abort()}>
              Stop
            </Button>
          )}
        </div>
      </form>
      {failure && (
        <p role="alert" className="text-[13px] text-red">
          {failure}
        </p>
      )}
      {answer && <TriedResponseView answer={answer} showsLog={needsKey} />}
    </div>
  );
}

type ParameterFieldProps = {
  parameter: ParameterObject;
  value: string;
  problem: string | undefined;
  onChange: (value: string) => void;
};

function ParameterField({ parameter: { name, required, schema }, value, problem, onChange }: ParameterFieldProps) {
  const isKey = name === IDEMPOTENCY_KEY;
  const options = (schema.enum ?? []).filter((option) => option !== null).map(String);
  const control = (given: FieldControlProps) => {
    const props = { ...given, name, value, className: "font-mono text-[12.5px]" };
    if (options.length === 0) {
      return (
        <Input {...props} autoComplete="off" spellCheck={false} onChange={(event) => onChange(event.target.value)} />
      );
    }
    return (
      <Select {...props} onChange={(event) => onChange(event.target.value)}>
        <option value="">Not sent</option>
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </Select>
    );
  };
  return (
    <div className="flex items-start gap-2">
      <Field
        label={<span className="font-mono text-xs">{name}</span>}
        optional={!required}
        error={problem}
        hint={isKey && required && "Send again with the same key: nothing runs twice."}
        className="flex-1"
      >
        {control}
      </Field>
      {isKey && (
        <Button size="sm" className="mt-6.5 h-8" onClick={() => onChange(newIdempotencyKey())}>
          New key
        </Button>
      )}
    </div>
  );
}

function firstValues(parameters: readonly ParameterObject[]): Record<string, string> {
  return Object.fromEntries(
    parameters.map(({ name, in: place, required, example }) => {
      if (name === IDEMPOTENCY_KEY) return [name, required ? newIdempotencyKey() : ""];
      return [name, place === "path" ? (lastIds.get(prefixOf(String(example))) ?? "") : ""];
    }),
  );
}

const prefixOf = (id: string) => id.slice(0, id.indexOf("_"));

function noteIds(answer: TriedResponse | null): void {
  if (!answer || answer.status >= 300) return;
  for (const [, id = ""] of answer.body.matchAll(/"(?:\w+_)?id": "([a-z]+_[^"]+)"/g)) {
    const prefix = prefixOf(id);
    if (!lastIds.has(prefix) || answer.body.indexOf(id) < 60) lastIds.set(prefix, id);
  }
}

function failureOf(error: Error, method: string, hasKey: boolean): string {
  const why = `No complete response arrived (${error.message}).`;
  if (method === "GET") return `${why} Send it again.`;
  return hasKey
    ? `${why} It may have been carried out: send it again with the same key to find out. Nothing runs twice.`
    : `${why} It may have been carried out: check before you send it again.`;
}
