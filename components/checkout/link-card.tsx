"use client";

import { Check, Copy, ExternalLink } from "lucide-react";
import Link from "next/link";
import { useEffect, useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { Skeleton } from "@/components/ui/skeleton";
import { buttonStyles } from "@/components/ui/styles";
import type { Mode } from "@/lib/contract/transactions/words";

type LinkCardProps = {
  title: string;
  description: string;
  link: string;
  mode: Mode;
  /** False while the link can't be used. */
  live?: boolean;
  /** Called after copying. */
  onKept?: () => void;
};

/** A link and its QR code, to copy or open. */
export function LinkCard({ title, description, link, mode, live = true, onKept }: LinkCardProps) {
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle");
  const text = useRef<HTMLElement>(null);

  async function copy() {
    try {
      await navigator.clipboard.writeText(link);
      setState("copied");
      onKept?.();
    } catch {
      if (text.current) window.getSelection()?.selectAllChildren(text.current);
      setState("failed");
    }
  }

  return (
    <Card title={title} description={description}>
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
          {mode === "test" && live && (
            <p className="mt-3 text-soft text-xs leading-5">
              Try it: card <span className="whitespace-nowrap font-mono">4242 4242 4242 4242</span>, any future expiry,
              any security code.{" "}
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

const SIZE = 148;

/**
 * QR code of an address, drawn in the browser because the address may be secret. Loads its library on first
 * use.
 */
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
      {/* biome-ignore lint/performance/noImgElement: generated here, so there is nothing to optimize. White in every theme, for cameras. */}
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
