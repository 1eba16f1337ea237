"use client";

import Link from "next/link";
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import { Spinner } from "@/components/ui/button";
import { type FrameMessage, readFrameMessage } from "@/lib/contract/checkout/messages";
import type { ApiCall, PaymentResponse, SessionResponse } from "@/lib/contract/demo-shop";
import { moneyText } from "@/lib/contract/format";
import type { Cardlane } from "@/public/sdk/v1";
import { liveLog } from "./live-log";
import { appearanceOf, checkoutPath, type Look, orderValues, type PlacedOrder, totalOf } from "./order";
import { useScheme } from "./use-wide";

/** The payment form on the shop's page, with the shop's own button if selected. */
export function CardForm({ order, look }: { order: PlacedOrder; look: Look }) {
  const element = useRef<HTMLDivElement>(null);
  const { state, submit, retry } = useCardForm(element, order, look);
  const { phase, problem } = state;
  const isWaiting = phase === "ordering" || phase === "leaving";
  return (
    <div>
      {problem && <Problem text={problem} onRetry={phase === "failed" ? retry : null} />}
      {/* The form is laid out before it is visible; until then the skeleton covers it. */}
      <div className={phase === "loading" ? "relative min-h-85" : "relative"}>
        {phase === "loading" && <Skeleton />}
        <div ref={element} inert={isWaiting} className={isWaiting ? "opacity-40" : undefined} />
      </div>
      {look.button === "shop" && phase !== "loading" && phase !== "failed" && (
        <OwnButton
          state={state}
          label={
            order.product === "monthly"
              ? "Start the free trial"
              : `Place the order · ${moneyText(totalOf(order), order.currency)}`
          }
          isPaying={order.product === "print"}
          onSubmit={submit}
        />
      )}
      {(state.isOver || phase === "failed") && <StartAgain order={order} look={look} />}
      <p role="status" className={isWaiting ? "mt-4 flex items-center gap-2 text-soft" : "sr-only"}>
        {isWaiting && <Spinner />}
        {phase === "ordering" ? "Placing your order …" : phase === "leaving" ? "One moment …" : ""}
      </p>
      <noscript>The card form needs JavaScript.</noscript>
    </div>
  );
}

type OwnButtonProps = { state: CardFormState; label: string; isPaying: boolean; onSubmit: () => void };

function OwnButton({ state, label, isPaying, onSubmit }: OwnButtonProps) {
  return (
    <button
      type="button"
      className="shop-buy mt-4 w-full"
      disabled={state.processing || state.phase !== "ready"}
      aria-busy={state.processing}
      onClick={onSubmit}
    >
      {state.processing ? (isPaying ? "Paying …" : "One moment …") : label}
    </button>
  );
}

function Problem({ text, onRetry }: { text: string; onRetry: (() => void) | null }) {
  return (
    <div role="alert" className="mb-4 border border-red bg-red-ground px-4 py-3 text-[13px]">
      <p className="text-red">{text}</p>
      {onRetry && (
        <button type="button" className="mt-1 underline underline-offset-2" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

function StartAgain({ order, look }: { order: PlacedOrder; look: Look }) {
  return (
    <p className="mt-4 text-[13px] text-soft">
      Can’t pay for this order here?{" "}
      <Link
        href={checkoutPath({ ...order, id: null }, look)}
        prefetch={false}
        className="text-accent underline underline-offset-2"
      >
        Start a new one
      </Link>
    </p>
  );
}

function Skeleton() {
  return (
    <div aria-hidden="true" className="absolute inset-x-0 top-0 space-y-4">
      <div className="shop-skeleton h-11" />
      <div className="grid grid-cols-2 gap-3">
        <div className="shop-skeleton h-11" />
        <div className="shop-skeleton h-11" />
      </div>
      <div className="shop-skeleton h-12" />
    </div>
  );
}

type CardFormState = {
  /** `ordering`: the form returned a card token, and the shop's server creates the payment with it. */
  phase: "loading" | "ready" | "ordering" | "leaving" | "failed";
  complete: boolean;
  processing: boolean;
  /** Message for the shopper: with `failed`, why there is no form; otherwise the card's error. */
  problem: string | null;
  /** The order can no longer be paid. */
  isOver: boolean;
};

const START: CardFormState = { phase: "loading", complete: false, processing: false, problem: null, isOver: false };
const CLOSING: ReadonlySet<string> = new Set(["attempts_exhausted", "session_cancelled", "session_not_found"]);

/**
 * Requests a session from the shop's server, mounts the form with its token in `element`, and follows the
 * form's events. The events aren't authoritative: the result page gets the outcome from the server.
 */
function useCardForm(element: RefObject<HTMLDivElement | null>, order: PlacedOrder, look: Look) {
  const [state, setState] = useState(START);
  const [round, setRound] = useState(0);
  const frame = useRef<Frame>(null);
  const scheme = useScheme();
  const change = (part: Partial<CardFormState>) => setState((before) => ({ ...before, ...part }));
  const options = lookOptions(look, scheme);

  const callbacks = (session: string): Omit<MountOptions, "token"> => ({
    // A form that timed out may still become ready.
    onReady: () =>
      setState((before) => ({ ...before, phase: "ready", problem: before.phase === "failed" ? null : before.problem })),
    onChange: ({ complete, processing }) => change({ complete, processing }),
    onSuccess: (result) => {
      if (result.paymentToken !== null) return void payWith(result.paymentToken, session);
      change({ phase: "leaving" });
      window.location.assign(result.returnUrl ?? `/demo/result?client_session_id=${result.clientSessionId}`);
    },
    onError: ({ code, message }) => {
      // The frame was refused or never loaded, so only this page can show the message.
      if (code === "origin_not_allowed" || code === "form_not_loaded") change({ phase: "failed", problem: message });
      else if (CLOSING.has(code)) change({ isOver: true });
    },
    onExpired: () => change({ isOver: true }),
  });

  async function payWith(payment_token: string, client_session_id: string) {
    change({ phase: "ordering", problem: null });
    const body = { ...orderValues(order), payment_token, client_session_id };
    const response = await callShop<PaymentResponse>("/demo/checkout/payment", body).catch(unreachable);
    if ("problem" in response) {
      // A token is single-use, so another card needs a new form.
      change({ ...START, problem: response.problem });
      setRound((before) => before + 1);
      return;
    }
    change({ phase: "leaving" });
    window.location.assign(response.next);
  }

  const mount = useEffectEvent(([response, script]: Opened) => {
    if ("problem" in response) return change({ phase: "failed", problem: response.problem });
    frame.current = script.mount(element.current, {
      token: response.token,
      mode: order.mode,
      ...options,
      ...callbacks(response.client_session_id),
    });
  });
  const open = useEffectEvent((signal: AbortSignal) => openForm(order, signal));

  // biome-ignore lint/correctness/useExhaustiveDependencies: each round mounts a new form
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    open(signal)
      .then((opened) => signal.aborted || mount(opened))
      .catch((error: Error) => signal.aborted || change({ phase: "failed", problem: error.message }));
    return () => {
      controller.abort();
      frame.current?.unmount();
      frame.current = null;
    };
  }, [round]);

  const wanted = JSON.stringify(options);
  useEffect(() => {
    if (!frame.current) return;
    const next = JSON.parse(wanted) as ReturnType<typeof lookOptions>;
    frame.current.update(next);
    liveLog.addForm("out", "update", null, next);
  }, [wanted]);

  useEffect(() => logMessages(element), [element]);

  return {
    state,
    retry: () => {
      setState(START);
      setRound((before) => before + 1);
    },
    submit: () => {
      liveLog.addForm("out", "submit", "the shop’s own button", null);
      frame.current?.submit();
    },
  };
}

type Opened = [SessionResponse, Script];

const openForm = (order: PlacedOrder, signal: AbortSignal): Promise<Opened> =>
  Promise.all([
    callShop<SessionResponse>("/demo/checkout/session", orderValues(order), signal).catch(unreachable),
    loadCardlane(),
  ]);

const lookOptions = (look: Look, scheme: "light" | "dark") => ({
  locale: look.language,
  appearance: appearanceOf(look, scheme),
  button: look.button === "form",
});

const unreachable = (): { problem: string; calls: ApiCall[] } => ({
  problem: "The shop did not respond. Nothing is paid twice: try again.",
  calls: [],
});

const CALLBACKS: Record<FrameMessage["type"], string> = {
  hello: "answered with init",
  embeddable: "the form is loaded again",
  ready: "onReady",
  resize: "the frame follows",
  change: "onChange",
  action_required: "onActionRequired",
  success: "onSuccess",
  error: "onError",
  expired: "onExpired",
};

/** Logs the messages that the form's frame sends to the page. */
function logMessages(element: RefObject<HTMLDivElement | null>): () => void {
  const listener = (event: MessageEvent) => {
    const frame = element.current?.querySelector("iframe");
    if (event.origin !== window.location.origin || event.source !== frame?.contentWindow) return;
    const message = readFrameMessage(event.data);
    if (!message) return;
    const { type, ...payload } = message;
    liveLog.addForm("in", type, CALLBACKS[type], payload);
  };
  window.addEventListener("message", listener);
  return () => window.removeEventListener("message", listener);
}

/** Sends a POST to the shop's own server and logs its API calls. Throws if the server can't be reached. */
async function callShop<T extends { calls: ApiCall[] }>(path: string, body: object, signal?: AbortSignal): Promise<T> {
  const response = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
  const result = (await response.json()) as T;
  liveLog.addCalls(result.calls);
  return result;
}

type Script = Cardlane;
type MountOptions = Parameters<Script["mount"]>[1];
type Frame = ReturnType<Script["mount"]>;

let loading: Promise<Script> | null = null;

/** Loads the SDK script once. Rejects with a message for the shopper. */
function loadCardlane(): Promise<Script> {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = "/sdk/v1.js";
    script.onload = () => resolve(window.Cardlane);
    script.onerror = () => {
      script.remove();
      loading = null;
      reject(new Error("The payment form could not be loaded. Check your connection and try again."));
    };
    document.head.append(script);
  });
  return loading;
}
