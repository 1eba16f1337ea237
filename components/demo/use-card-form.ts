import { type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import { type FrameMessage, readFrameMessage } from "@/lib/contract/checkout-messages";
import type { PaymentAnswer, SessionAnswer } from "@/lib/contract/demo-shop";
import { askShop } from "./ask-shop";
import { liveLog } from "./live-log";
import { type Frame, loadCardlane, type MountOptions, type Script } from "./load-cardlane";
import { appearanceOf, type Look, orderValues, type PlacedOrder } from "./order";
import { useScheme } from "./use-wide";

export type CardFormState = {
  /** `ordering`: the form has given a card token, and the shop's server makes the payment with it. */
  phase: "loading" | "ready" | "ordering" | "leaving" | "failed";
  complete: boolean;
  processing: boolean;
  /** For the shopper; with `failed`, why there is no form, else what became of a card. */
  problem: string | null;
  /** Only a new order can be paid. */
  isOver: boolean;
};

const START: CardFormState = { phase: "loading", complete: false, processing: false, problem: null, isOver: false };
const CLOSING: ReadonlySet<string> = new Set(["attempts_exhausted", "session_cancelled", "session_not_found"]);

/**
 * The payment form in `element`: asks the shop's server for a session, mounts the form with its token, and follows what it
 * says. What it says decides nothing: the result page asks the server.
 */
export function useCardForm(element: RefObject<HTMLDivElement | null>, order: PlacedOrder, look: Look) {
  const [state, setState] = useState(START);
  const [round, setRound] = useState(0);
  const frame = useRef<Frame>(null);
  const scheme = useScheme();
  const change = (part: Partial<CardFormState>) => setState((before) => ({ ...before, ...part }));
  const options = lookOptions(look, scheme);

  const callbacks = (session: string): Omit<MountOptions, "token"> => ({
    onReady: () => change({ phase: "ready" }),
    onChange: ({ complete, processing }) => change({ complete, processing }),
    onSuccess: (result) => {
      if (result.paymentToken !== null) return void payWith(result.paymentToken, session);
      change({ phase: "leaving" });
      window.location.assign(result.returnUrl ?? `/demo/result?client_session_id=${result.clientSessionId}`);
    },
    onError: ({ code, message }) => {
      // The frame was refused or never came: only this page can say so.
      if (code === "origin_not_allowed") change({ phase: "failed", problem: message });
      else if (CLOSING.has(code)) change({ isOver: true });
    },
    onExpired: () => change({ isOver: true }),
  });

  async function payWith(payment_token: string, client_session_id: string) {
    change({ phase: "ordering", problem: null });
    const body = { ...orderValues(order), payment_token, client_session_id };
    const answer = await askShop<PaymentAnswer>("/demo/checkout/payment", body).catch(unreachable);
    if ("problem" in answer) {
      // The token is used up: another card needs a new form.
      change({ ...START, problem: answer.problem });
      setRound((before) => before + 1);
      return;
    }
    change({ phase: "leaving" });
    window.location.assign(answer.next);
  }

  const mount = useEffectEvent(([answer, script]: Opened) => {
    if ("problem" in answer) return change({ phase: "failed", problem: answer.problem });
    frame.current = script.mount(element.current, {
      token: answer.token,
      mode: order.mode,
      ...options,
      ...callbacks(answer.client_session_id),
    });
  });
  const open = useEffectEvent((signal: AbortSignal) => openForm(order, signal));

  // biome-ignore lint/correctness/useExhaustiveDependencies: another round is another form
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

type Opened = [SessionAnswer, Script];

const openForm = (order: PlacedOrder, signal: AbortSignal): Promise<Opened> =>
  Promise.all([askShop<SessionAnswer>("/demo/checkout/session", orderValues(order), signal), loadCardlane()]);

const lookOptions = (look: Look, scheme: "light" | "dark") => ({
  locale: look.language,
  appearance: appearanceOf(look, scheme),
  button: look.button === "form",
});

const unreachable = (): PaymentAnswer => ({
  problem: "The shop did not answer. Nothing is paid twice: try again.",
  calls: [],
});

const CALLBACKS: Record<FrameMessage["type"], string> = {
  hello: "answered with init",
  ready: "onReady",
  resize: "the frame follows",
  change: "onChange",
  action_required: "onActionRequired",
  success: "onSuccess",
  error: "onError",
  expired: "onExpired",
};

/** Follows what the form's frame says to the page, for the log alone. */
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
