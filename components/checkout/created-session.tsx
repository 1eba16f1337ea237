"use client";

import { Check, Copy, ExternalLink } from "lucide-react";
import Link from "next/link";
import { useEffect, useRef, useState } from "react";
import { StatusBadge } from "@/components/ui/badge";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Card, Facts, Money } from "@/components/ui/card";
import { CodeFigure } from "@/components/ui/copy-button";
import { CopyId } from "@/components/ui/copy-id";
import { UnsavedGuard } from "@/components/ui/form";
import { Skeleton } from "@/components/ui/skeleton";
import { buttonStyles } from "@/components/ui/styles";
import { Tabs, TabsContent, TabsList, TabsTrigger } from "@/components/ui/tabs";
import { Time } from "@/components/ui/time";
import { htmlCode, reactCode } from "@/lib/client/checkout/embed-code";
import { customerText } from "@/lib/contract/checkout/checkout";
import type { ClientSession } from "@/lib/contract/checkout/client-session";
import type { Mode } from "@/lib/contract/transactions/words";

type CreatedSessionProps = {
  session: ClientSession;
  /** Both are in this one answer and nowhere else. */
  link: string;
  token: string;
  planName: string | null;
  mode: Mode;
  baseUrl: string;
  onAnother: () => void;
};

/** A new session's link and code, this once. Leaving without having copied either asks first. */
export function CreatedSession(props: CreatedSessionProps) {
  const { session, link, mode, onAnother } = props;
  const [kept, setKept] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);

  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]" onCopy={() => setKept(true)}>
      <h2 ref={heading} tabIndex={-1} className="sr-only">
        Your payment link is ready
      </h2>
      <div className="flex min-w-0 flex-col gap-4">
        <Banner tone={kept ? "green" : "amber"} title={kept ? "Copied" : "Copy it now: it is shown this once"}>
          Cardlane keeps only a fingerprint of the link. Whoever has it can pay until it expires, and do nothing else.
        </Banner>
        <LinkCard link={link} mode={mode} onKept={() => setKept(true)} />
        <EmbedCard {...props} onKept={() => setKept(true)} />
      </div>
      <div className="flex flex-col gap-4 lg:sticky lg:top-16">
        <SessionCard {...props} />
        <div className="flex flex-wrap gap-2">
          <Link href={`/${mode}/checkout/${session.id}`} className={buttonStyles({ variant: "primary" })}>
            See the session
          </Link>
          <Button onClick={onAnother} disabled={!kept} title={kept ? undefined : "Copy this one first"}>
            Create another
          </Button>
        </div>
      </div>
      <UnsavedGuard
        dirty={!kept}
        title="Leave without copying the link?"
        description="It is shown this once. Without it nobody can pay in this session, and you would have to create another."
      />
    </div>
  );
}

function LinkCard({ link, mode, onKept }: { link: string; mode: Mode; onKept: () => void }) {
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle");
  const text = useRef<HTMLElement>(null);

  async function copy() {
    try {
      await navigator.clipboard.writeText(link);
      setState("copied");
      onKept();
    } catch {
      if (text.current) window.getSelection()?.selectAllChildren(text.current);
      setState("failed");
    }
  }

  return (
    <Card title="Payment link" description="A page of Cardlane’s where your customer pays. Send it, or show the code.">
      <div className="flex gap-5 max-sm:flex-col">
        <div className="min-w-0 flex-1">
          <code
            ref={text}
            className="block select-all break-all rounded-md border bg-raised px-3 py-2 font-mono text-xs leading-5"
            data-testid="payment-link"
          >
            {link}
          </code>
          <div className="mt-3 flex flex-wrap gap-2">
            <Button
              variant="primary"
              onClick={copy}
              icon={state === "copied" ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
            >
              {state === "copied" ? "Copied" : "Copy link"}
            </Button>
            <a href={link} target="_blank" rel="noreferrer" className={buttonStyles()}>
              Open <ExternalLink aria-hidden="true" />
              <span className="sr-only"> in a new tab</span>
            </a>
            <output className={state === "failed" ? "self-center text-red text-xs" : "sr-only"}>
              {state === "copied" ? "Copied" : state === "failed" ? "Copy the selected text" : ""}
            </output>
          </div>
          {mode === "test" && (
            <p className="mt-3 text-soft text-xs leading-5">
              Try it: card <span className="whitespace-nowrap font-mono">4242 4242 4242 4242</span>, any expiry to come,
              any CVV.{" "}
              <Link href="/docs/testing" className="text-accent underline">
                More test cards
              </Link>
            </p>
          )}
        </div>
        <QrCode address={link} />
      </div>
    </Card>
  );
}

function EmbedCard({ session, token, baseUrl, onKept }: CreatedSessionProps & { onKept: () => void }) {
  const code = { baseUrl, token, returns: session.return_url !== null };
  return (
    <Card title="Embed the form" description="The same session inside a page of yours.">
      {session.allowed_origins.length === 0 ? (
        <Banner tone="amber" className="mb-4" title="No page may embed this session">
          It names no allowed origins, so only its link works. Create another one with the origin of your page.
        </Banner>
      ) : (
        <p className="mb-3 text-soft">
          Works on {session.allowed_origins.join(", ")}. In your integration, your server creates a session for each
          order and hands its token to the page.{" "}
          <Link href="/docs/quickstart" className="text-accent underline">
            Quickstart
          </Link>
        </p>
      )}
      <Tabs defaultValue="html">
        <TabsList label="Language" className="mb-3">
          <TabsTrigger value="html">HTML</TabsTrigger>
          <TabsTrigger value="react">React</TabsTrigger>
        </TabsList>
        <TabsContent value="html">
          <CodeFigure title="HTML" code={htmlCode(code)} onCopied={onKept} />
        </TabsContent>
        <TabsContent value="react">
          <CodeFigure title="React" code={reactCode(code)} onCopied={onKept} />
        </TabsContent>
      </Tabs>
    </Card>
  );
}

function SessionCard({ session, planName }: CreatedSessionProps) {
  return (
    <Card>
      <p className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-1">
        <Money amount={session.amount} currency={session.currency} className="font-semibold text-xl" />
        <StatusBadge status={session.status} />
      </p>
      <Facts
        items={[
          ...(planName === null ? [] : [{ term: "Plan", value: planName }]),
          { term: "Customer", value: customerText(session) },
          { term: "Captured", value: session.capture_method === "manual" ? "By you" : "At once" },
          { term: "Expires", value: <Time at={session.expires_at} /> },
          { term: "Id", value: <CopyId id={session.id} short label="Copy session id" /> },
        ]}
      />
    </Card>
  );
}

const SIZE = 148;

/** An address as a QR code, made in the browser: the address is a secret. Its library comes with the first one. */
function QrCode({ address }: { address: string }) {
  const [source, setSource] = useState<string | null>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let gone = false;
    import("uqr")
      .then(({ renderSVG }) => {
        if (!gone) setSource(`data:image/svg+xml,${encodeURIComponent(renderSVG(address, { border: 2 }))}`);
      })
      .catch(() => setFailed(true));
    return () => {
      gone = true;
    };
  }, [address]);

  if (failed)
    return <p className="w-37 text-soft text-xs">The QR code could not be loaded. The link works as it is.</p>;
  if (source === null) return <Skeleton className="size-37" />;
  return (
    <div className="flex w-37 flex-col items-center gap-1.5">
      {/* biome-ignore lint/performance/noImgElement: made just now, there is nothing to optimize. White in every theme: cameras want it so. */}
      <img
        src={source}
        alt="QR code of the payment link"
        width={SIZE}
        height={SIZE}
        className="rounded-md border bg-white"
      />
      <a href={source} download="payment-link.svg" className="text-accent text-xs hover:underline">
        Download QR code
      </a>
    </div>
  );
}
