"use client";

import { RotateCcw } from "lucide-react";
import { useState } from "react";
import { HttpStatus } from "@/components/payments/request-list";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { CodeFigure } from "@/components/ui/copy";
import { ApiError, callApi, type EndpointAddress, failureText } from "@/lib/client/api";
import { REPLAY_ONLY_HEADER, type RequestDetail, type Resend } from "@/lib/contract/request-log/requests";
import type { Mode } from "@/lib/contract/transactions/words";

const ADDRESSES = {
  capturePayment: "POST /v1/payments/{id}/capture",
  voidPayment: "POST /v1/payments/{id}/void",
  refundPayment: "POST /v1/payments/{id}/refund",
  captureTransaction: "POST /v1/transactions/{id}/capture",
  voidTransaction: "POST /v1/transactions/{id}/void",
  refundTransaction: "POST /v1/transactions/{id}/refund",
} as const satisfies Record<string, EndpointAddress>;

/** Statuses stored under the key, whatever their error code. */
const STORED: ReadonlySet<number> = new Set([402, 422]);

type ReplayedResponse = { status: number; replayed: boolean; text: string };
type Offered = Extract<Resend, { reason: null }>;
type State =
  | { kind: "idle" | "sending" }
  | { kind: "answered"; answer: ReplayedResponse }
  | { kind: "refused"; why: string };

/** Replays a money request under its key. This header makes the service return only stored responses. */
async function sendAgain(address: EndpointAddress, { id, idempotency_key, body }: Offered, mode: Mode): Promise<State> {
  try {
    const { data, status, replayed } = await callApi(address as "POST /v1/payments/{id}/refund", {
      mode,
      params: { id },
      idempotencyKey: idempotency_key,
      ...(body !== null && { body: JSON.parse(body) }),
      headers: { [REPLAY_ONLY_HEADER]: "1" },
    });
    return { kind: "answered", answer: { status, replayed, text: JSON.stringify(data, null, 2) } };
  } catch (error) {
    // A stored refusal is a response as well.
    if (error instanceof ApiError && (STORED.has(error.status) || error.code === "invalid_state")) {
      return { kind: "answered", answer: { status: error.status, replayed: true, text: textOf(error.body) } };
    }
    return { kind: "refused", why: failureText(error) };
  }
}

const textOf = (value: unknown) => JSON.stringify(value, null, 2);

/** Compares the response to a retry with the original one. Never sends a new request. */
export function SendAgain({ request, mode }: { request: RequestDetail; mode: Mode }) {
  const [state, setState] = useState<State>({ kind: "idle" });
  const { resend } = request;
  const address = ADDRESSES[request.endpoint as keyof typeof ADDRESSES];
  if (resend === null) return null;
  const offer = resend.reason === null && address ? resend : null;
  return (
    <Card
      className="mb-4"
      title="Send again with the same key"
      description="Gets the stored response again. It never moves money a second time."
      actions={
        offer && (
          <Button
            pending={state.kind === "sending"}
            icon={<RotateCcw aria-hidden="true" />}
            onClick={async () => {
              setState({ kind: "sending" });
              setState(await sendAgain(address, offer, mode));
            }}
          >
            {state.kind === "sending" ? "Sending" : "Send again"}
          </Button>
        )
      }
    >
      {offer === null && <p className="text-[13px] text-soft">{resend.reason}</p>}
      <div aria-live="polite">
        {state.kind === "refused" && (
          <Banner tone="amber" title="Not sent again">
            {state.why}
          </Banner>
        )}
        {state.kind === "answered" && <Comparison request={request} answer={state.answer} />}
      </div>
      {offer && (state.kind === "idle" || state.kind === "sending") && (
        <p className="text-[13px] text-soft">
          The request is sent in your name and returns the response stored for the key.
        </p>
      )}
    </Card>
  );
}

function Comparison({ request, answer }: { request: RequestDetail; answer: ReplayedResponse }) {
  const isSame = answer.replayed && answer.status === request.status;
  return (
    <>
      <Banner
        tone={isSame ? "green" : "amber"}
        title={isSame ? "Nothing ran twice: same response, replayed" : "Nothing ran twice: the stored response differs"}
        className="mb-4"
      >
        {isSame ? "You got the stored response." : "The first response was not final. This one is."}
      </Banner>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Side title="First response" status={request.status} text={request.response.text} />
        <Side title="Response now" status={answer.status} text={answer.text} />
      </div>
    </>
  );
}

function Side({ title, status, text }: { title: string; status: number; text: string | null }) {
  return (
    <div className="min-w-0">
      <p className="mb-2 flex items-center gap-2 text-[13px]">
        {title} <HttpStatus status={status} />
      </p>
      {text === null ? (
        <p className="text-[13px] text-soft">Not stored.</p>
      ) : (
        <CodeFigure title={title} code={textOf(JSON.parse(text))} />
      )}
    </div>
  );
}
