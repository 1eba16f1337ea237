"use client";

import { useEffect, useState } from "react";
import { Skeleton } from "@/components/ui/skeleton";

const SIZE = 148;

/** An address as a QR code, made in the browser: the address is a secret. Its library comes with the first one. */
export function QrCode({ address }: { address: string }) {
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
