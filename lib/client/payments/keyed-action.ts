"use client";

import { useEffect, useRef, useState } from "react";
import { useDashboard } from "@/lib/client/dashboard-context";
import { type KeyedRequest, nextSend, type RequestRecord, requestStore, sendKeyed } from "./keyed-request";
import { type AttemptResult, attemptMoney, type Refusal, type UnknownWhy } from "./money-attempt";
import { exclusively, newIdempotencyKey, toAttempt, wait } from "./money-ports";
import { canRetry } from "./money-record";

type KeyedState<Data> =
  | { step: "editing" }
  | { step: "sending" }
  | { step: "refused"; refusal: Refusal }
  /** `retryable`: its key is certain to find the first request. */
  | { step: "unknown"; why: UnknownWhy; retryable: boolean }
  | { step: "done"; data: Data };

type KeyedActionOptions<Data> = {
  /** The object it acts on, such as "resume sub_…": at most one request on it has an unknown outcome. */
  subject: string;
  title: string;
  request: () => KeyedRequest<Data>;
  /** The server's state may have changed, whatever the outcome. */
  onChange: () => void;
  /** Called with the confirmed result, for dialogs that then close. */
  onDone?: (data: Data) => void;
  /** Called once the user has given up an unknown outcome. */
  onForget?: () => void;
  /** A request that was sent before and has an unknown outcome; by default the one kept for the subject. */
  left?: RequestRecord;
};

export type KeyedAction<Data> = {
  title: string;
  state: KeyedState<Data>;
  run: () => Promise<void>;
  /** Gives up an unknown outcome whose key has expired. */
  forget: () => void;
};

/**
 * One request to /v1 under one idempotency key, for dialogs that the user opens. Request and key are kept in
 * the browser until the outcome is known, so neither a retry nor a second dialog after a reload runs it twice.
 */
export function useKeyedAction<Data>(options: KeyedActionOptions<Data>): KeyedAction<Data> {
  const { subject, title, request, onChange, onDone, onForget } = options;
  const { mode, merchant } = useDashboard();
  const [store] = useState(() => requestStore(window.localStorage, { mode, merchantId: merchant.id }));
  const [left] = useState(() => options.left ?? store.find(subject));
  const sent = useRef<RequestRecord | null>(left);
  const [state, setState] = useState<KeyedState<Data>>(() => (left ? unknown("no_answer", left) : { step: "editing" }));
  const running = useRef(false);
  const closed = useRef(false);
  useEffect(() => {
    closed.current = false;
    const hide = store.show(subject);
    return () => {
      closed.current = true;
      hide();
    };
  }, [store, subject]);

  async function run() {
    if (running.current || state.step === "done") return;
    running.current = true;
    setState({ step: "sending" });
    try {
      await exclusively(subject, send);
    } catch (error) {
      // Before sending, only the browser can fail: no storage for the record, or no lock.
      if (sent.current) setState(unknown("no_answer", sent.current));
      else setState({ step: "refused", refusal: notSent(error) });
    } finally {
      running.current = false;
    }
  }

  async function send() {
    const next = nextSend(sent.current, store.find(subject), Date.now());
    if (next.kind === "show") {
      sent.current = next.record;
      setState(unknown("no_answer", next.record));
      return;
    }
    const isRetry = next.kind === "repeat";
    const record = isRetry
      ? next.record
      : { subject, title, request: request(), key: newIdempotencyKey(), sentAt: Date.now() };
    // Also of a repeated one, which another tab may have removed.
    store.save(record);
    sent.current = record;
    const result = await attemptMoney(
      {
        send: () => toAttempt(() => sendKeyed(mode, record.request as KeyedRequest<Data>, record.key)),
        wait,
        stopped: () => closed.current,
      },
      isRetry,
    );
    if (result.kind !== "unknown") {
      sent.current = null;
      store.remove(subject);
    }
    setState(stateOf(result, record));
    onChange();
    if (result.kind === "done") onDone?.(result.data);
  }

  function forget() {
    if (state.step !== "unknown" || state.retryable) return;
    sent.current = null;
    store.remove(subject);
    setState({ step: "editing" });
    onForget?.();
  }

  return { title, state, run, forget };
}

const unknown = (why: UnknownWhy, record: RequestRecord) =>
  ({ step: "unknown", why, retryable: canRetry(record, Date.now()) }) as const;

const notSent = (error: unknown): Refusal => ({
  status: 0,
  code: "not_sent",
  detail: `Nothing was sent. ${error instanceof Error ? error.message : String(error)}`,
  param: null,
  errors: [],
  requestId: null,
});

function stateOf<Data>(result: AttemptResult<Data>, record: RequestRecord): KeyedState<Data> {
  switch (result.kind) {
    case "done":
      return { step: "done", data: result.data };
    case "refused":
      return { step: "refused", refusal: result.refusal };
    case "unknown":
      return unknown(result.why, record);
    default:
      return result satisfies never;
  }
}
