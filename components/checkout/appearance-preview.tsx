"use client";

import { Monitor, Smartphone } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Select } from "@/components/ui/field";
import { useHydrated } from "@/components/ui/hooks";
import { Skeleton } from "@/components/ui/skeleton";
import { cn } from "@/components/ui/styles";
import { type Appearance, resolveAppearance } from "@/lib/contract/checkout/appearance";
import { CHECKOUT_LOCALES, type CheckoutLocale } from "@/lib/contract/checkout/checkout";
import { LANGUAGE_NAMES } from "@/lib/contract/checkout/localized";
import {
  type FrameOptions,
  isAppearance,
  type ParentMessage,
  readFrameMessage,
  wrap,
} from "@/lib/contract/checkout/messages";

const GIVE_UP_MS = 10_000;
const FIRST_HEIGHT = 560;
const MIN_HEIGHT = 320;
const MAX_HEIGHT = 1_400;

type Width = "desktop" | "phone";

/** The real payment form in the appearance being edited, with sample data; submitting it does nothing. */
export function AppearancePreview({ appearance }: { appearance: Appearance }) {
  const [width, setWidth] = useState<Width>("desktop");
  const [locale, setLocale] = useState<CheckoutLocale>("en");
  const hydrated = useHydrated();
  const { frame, state, height, retry } = usePreview(appearance, locale);
  const { theme, colors } = resolveAppearance(appearance);

  return (
    <section aria-label="Preview" className="min-w-0 rounded-lg border">
      <header className="flex flex-wrap items-center gap-2 border-b px-4 py-2">
        <h2 className="flex-1 font-semibold text-sm leading-6">Preview</h2>
        <Select
          aria-label="Language of the preview"
          value={locale}
          onChange={(event) => setLocale(event.target.value as CheckoutLocale)}
          className="w-auto"
        >
          {CHECKOUT_LOCALES.map((one) => (
            <option key={one} value={one}>
              {LANGUAGE_NAMES[one]}
            </option>
          ))}
        </Select>
        <WidthSwitch value={width} onChange={setWidth} />
      </header>
      <div className="flex justify-center overflow-hidden rounded-b-lg bg-raised p-4 sm:p-6">
        <div
          className={cn(
            "relative w-full min-w-0",
            width === "phone" ? "max-w-[375px]" : "max-w-2xl",
            state === "loading" && "min-h-140",
          )}
        >
          {state === "loading" && <FormSkeleton />}
          {state === "failed" ? (
            <Banner
              tone="red"
              role="alert"
              title="The preview did not load"
              actions={
                <Button size="sm" onClick={retry}>
                  Try again
                </Button>
              }
            >
              You can still save your changes.
            </Banner>
          ) : (
            <div
              // Simulates the merchant's page. Styled by script after hydration,
              // because the CSP blocks style attributes.
              ref={(ground) => {
                if (!ground) return;
                ground.style.colorScheme = theme === "system" ? "light dark" : theme;
                ground.style.backgroundColor = `light-dark(${colors.light.background}, ${colors.dark.background})`;
              }}
              className={cn("rounded-lg border p-4 sm:p-6", state === "loading" && "opacity-0")}
            >
              {/* Rendered only once the page is listening, or the form's first message would be lost. */}
              {hydrated && (
                <iframe
                  ref={frame}
                  title="Preview of the payment form"
                  src={`/pay/preview?origin=${encodeURIComponent(location.origin)}`}
                  height={height}
                  className="block w-full"
                />
              )}
            </div>
          )}
        </div>
      </div>
    </section>
  );
}

/** Placeholder with the form's shape. */
function FormSkeleton() {
  return (
    <div className="absolute inset-0 flex flex-col gap-4 rounded-lg border bg-ground p-6">
      <output className="sr-only">Loading the preview</output>
      <Skeleton className="h-4 w-32" />
      <Skeleton className="h-9 w-44" />
      <Skeleton className="mt-4 h-11 w-full" />
      <div className="grid grid-cols-2 gap-4">
        <Skeleton className="h-11 w-full" />
        <Skeleton className="h-11 w-full" />
      </div>
      <Skeleton className="mt-2 h-11 w-full" />
    </div>
  );
}

type PreviewState = "loading" | "shown" | "failed";

/** Simulates the merchant's page: responds to the form's hello with its options and follows its height. */
function usePreview(appearance: Appearance, locale: CheckoutLocale) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [state, setState] = useState<PreviewState>("loading");
  const [height, setHeight] = useState(FIRST_HEIGHT);
  const [tries, setTries] = useState(0);
  const latest = useRef<FrameOptions>({ appearance, locale, button: true });

  useEffect(() => {
    // While a color or font is half typed, keep the form's current appearance.
    latest.current = { ...latest.current, locale, ...(isAppearance(appearance) && { appearance }) };
    send(frame.current, { type: "update", ...latest.current });
  }, [appearance, locale]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt starts over
  useEffect(() => {
    const onMessage = (event: MessageEvent) => {
      if (event.origin !== location.origin || event.source !== frame.current?.contentWindow) return;
      const message = readFrameMessage(event.data);
      if (message?.type === "hello") send(frame.current, { type: "init", ...latest.current });
      if (message?.type === "resize") setHeight(Math.min(Math.max(Math.ceil(message.height), MIN_HEIGHT), MAX_HEIGHT));
      if (message?.type === "ready" || message?.type === "resize") setState("shown");
    };
    window.addEventListener("message", onMessage);
    const timer = setTimeout(() => setState((now) => (now === "loading" ? "failed" : now)), GIVE_UP_MS);
    return () => {
      window.removeEventListener("message", onMessage);
      clearTimeout(timer);
    };
  }, [tries]);

  function retry() {
    setState("loading");
    setTries(tries + 1);
  }

  return { frame, state, height, retry };
}

function send(frame: HTMLIFrameElement | null, message: ParentMessage): void {
  frame?.contentWindow?.postMessage(wrap(message), location.origin);
}

function WidthSwitch({ value, onChange }: { value: Width; onChange: (width: Width) => void }) {
  return (
    <fieldset className="flex rounded-md border p-0.5 max-sm:hidden">
      <legend className="sr-only">Width of the preview</legend>
      {(["desktop", "phone"] as const).map((width) => {
        const Icon = width === "desktop" ? Monitor : Smartphone;
        return (
          <button
            key={width}
            type="button"
            aria-pressed={value === width}
            aria-label={width === "desktop" ? "Desktop" : "Phone"}
            onClick={() => onChange(width)}
            className="inline-flex h-6.5 w-8 items-center justify-center rounded text-soft hover:text-ink aria-pressed:bg-line aria-pressed:text-ink"
          >
            <Icon aria-hidden="true" className="size-4" />
          </button>
        );
      })}
    </fieldset>
  );
}
