"use client";

import Link from "next/link";
import { useRef } from "react";
import { Spinner } from "@/components/ui/spinner";
import { moneyText } from "@/lib/client/money-text";
import { checkoutPath, type Look, type PlacedOrder, totalOf } from "./order";
import { type CardFormState, useCardForm } from "./use-card-form";

/** The payment form in the shop's page, with the shop's own button when it is wanted. */
export function CardForm({ order, look }: { order: PlacedOrder; look: Look }) {
  const element = useRef<HTMLDivElement>(null);
  const { state, submit, retry } = useCardForm(element, order, look);
  const { phase, problem } = state;
  const isWaiting = phase === "ordering" || phase === "leaving";
  return (
    <div>
      {problem && <Problem text={problem} onRetry={phase === "failed" ? retry : null} />}
      {/* The form is there before it is visible; until then the skeleton lies above it. */}
      <div className={phase === "loading" ? "relative min-h-85" : "relative"}>
        {phase === "loading" && <Skeleton />}
        <div ref={element} inert={isWaiting} className={isWaiting ? "opacity-40" : undefined} />
      </div>
      {look.button === "shop" && phase !== "loading" && phase !== "failed" && (
        <OwnButton state={state} total={moneyText(totalOf(order), order.currency)} onSubmit={submit} />
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

function OwnButton({ state, total, onSubmit }: { state: CardFormState; total: string; onSubmit: () => void }) {
  return (
    <button
      type="button"
      className="shop-buy mt-4 w-full"
      disabled={state.processing || state.phase !== "ready"}
      aria-busy={state.processing}
      onClick={onSubmit}
    >
      {state.processing ? "Paying …" : `Place the order · ${total}`}
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
      This order can no longer be paid here?{" "}
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
