"use client";

import { ImageUp } from "lucide-react";
import { useRouter } from "next/navigation";
import { useId, useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import { callApi, failureText } from "@/lib/client/api";
import { LOGO_RULES, LOGO_TYPES, MAX_LOGO_BYTES } from "@/lib/contract/accounts/logo";
import type { ShownLogo } from "@/lib/contract/checkout/appearance";

/** The logo beside the business's name, previewed on light and on dark. */
export function LogoForm({ logo, name }: { logo: ShownLogo | null; name: string }) {
  const router = useRouter();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [pending, setPending] = useState<"upload" | "remove" | null>(null);
  const [failure, setFailure] = useState<string | null>(null);

  async function run(what: "upload" | "remove", work: () => Promise<unknown>, done: string) {
    if (pending) return;
    setPending(what);
    setFailure(null);
    try {
      await work();
      toast.success(done);
      router.refresh();
    } catch (error) {
      setFailure(failureText(error));
    } finally {
      setPending(null);
    }
  }

  async function upload(file: File) {
    if (file.size > MAX_LOGO_BYTES) {
      setFailure(`This file is ${Math.ceil(file.size / 1024)} kB. The limit is 256 kB.`);
      return;
    }
    const send = async () => {
      const image = base64(new Uint8Array(await file.arrayBuffer()));
      await callApi("POST /api/dashboard/business/logo", { body: { image } });
    };
    await run("upload", send, logo ? "Logo replaced" : "Logo saved");
  }

  return (
    <div className="flex flex-col gap-3 text-[13px]">
      {logo ? (
        <div className="grid grid-cols-2 gap-3">
          {(["light", "dark"] as const).map((scheme) => (
            <div
              key={scheme}
              className={`flex h-24 items-center justify-center rounded-md border p-4 ${scheme === "light" ? "bg-white" : "bg-[#17181a]"}`}
            >
              {/* biome-ignore lint/performance/noImgElement: Next resizes nothing here */}
              <img
                src={logo.src}
                width={logo.width}
                height={logo.height}
                alt={`Logo of ${name} on ${scheme}`}
                className="h-auto max-h-12 w-auto max-w-full object-contain"
              />
            </div>
          ))}
        </div>
      ) : (
        <p className="text-soft">No logo yet: shoppers see the first letter of your business name.</p>
      )}
      {failure && (
        <p id={`${id}-error`} role="alert" className="text-red">
          {failure}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <input
          ref={input}
          type="file"
          accept={LOGO_TYPES.join(",")}
          tabIndex={-1}
          aria-label="Logo file"
          className="sr-only"
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            // Allows selecting the same file again after it was edited.
            target.value = "";
            if (file) void upload(file);
          }}
        />
        <Button
          icon={<ImageUp aria-hidden="true" />}
          pending={pending === "upload"}
          aria-describedby={`${id}-rules${failure ? ` ${id}-error` : ""}`}
          onClick={() => input.current?.click()}
        >
          {logo ? "Replace logo" : "Upload logo"}
        </Button>
        {logo && (
          <Button
            variant="ghost"
            pending={pending === "remove"}
            onClick={() => void run("remove", () => callApi("DELETE /api/dashboard/business/logo"), "Logo removed")}
          >
            Remove
          </Button>
        )}
      </div>
      <p id={`${id}-rules`} className="text-soft text-xs">
        Shown on the payment form, payment links and receipts, in test and live mode. {LOGO_RULES}
      </p>
    </div>
  );
}

const PIECE = 8_192;

/** Converted in chunks, because a call takes a limited number of arguments. */
function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += PIECE) text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return btoa(text);
}
