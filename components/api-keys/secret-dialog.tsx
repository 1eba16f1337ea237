"use client";

import { Check, Copy } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { Dialog } from "@/components/ui/dialog";
import type { IssuedApiKey } from "@/lib/contract/api-keys/api-keys";

type SecretDialogProps = {
  issued: IssuedApiKey;
  /** Called once the secret is stored or abandoned; it must be forgotten then. */
  onDone: () => void;
};

/** Shows a new key's secret once. Closing without confirming asks first. */
export function SecretDialog({ issued, onDone }: SecretDialogProps) {
  return issued.secret === null ? (
    <LostSecretDialog name={issued.api_key.name} onDone={onDone} />
  ) : (
    <ShownSecretDialog name={issued.api_key.name} secret={issued.secret} words={KEY_WORDS} onDone={onDone} />
  );
}

type SecretWords = {
  /** "key" */
  what: string;
  kept: string;
  /** Advice in case the secret is lost. */
  loss: string;
};

const KEY_WORDS: SecretWords = {
  what: "key",
  kept: "Cardlane stores only a hash of it and cannot show it again.",
  loss: "If you lose it, rotate the key.",
};

type ShownSecretDialogProps = { name: string; secret: string; words: SecretWords; onDone: () => void };

/** Shows any new secret once. */
export function ShownSecretDialog({ name, secret, words, onDone }: ShownSecretDialogProps) {
  const [stored, setStored] = useState(false);
  // Counts close attempts: each one opens the dialog again, even if the browser has closed it.
  const [closeAttempts, setCloseAttempts] = useState(0);
  useEffect(() => {
    const beforeUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", beforeUnload);
    return () => window.removeEventListener("beforeunload", beforeUnload);
  }, []);

  return (
    <Dialog
      onClose={() => (stored ? onDone() : setCloseAttempts(closeAttempts + 1))}
      key={closeAttempts}
      title={`Store this ${words.what} now`}
      description={
        <>
          The secret of <span className="font-medium text-ink">{name}</span> is shown only once, here. {words.kept}
        </>
      }
      footer={
        closeAttempts > 0 && !stored ? (
          <Button variant="danger" onClick={onDone}>
            Close without storing it
          </Button>
        ) : (
          <Button variant="primary" disabled={!stored} onClick={onDone}>
            Done
          </Button>
        )
      }
    >
      <Secret secret={secret} what={words.what} />
      <div className="mt-4">
        <Checkbox
          label={`I have stored this ${words.what} in a safe place`}
          checked={stored}
          onChange={(event) => setStored(event.target.checked)}
          data-autofocus={closeAttempts > 0 || undefined}
        />
      </div>
      {closeAttempts > 0 && !stored && (
        <Banner tone="amber" role="alert" className="mt-4" title="Confirm that you stored it">
          You cannot see the secret again after you close this. {words.loss}
        </Banner>
      )}
    </Dialog>
  );
}

function Secret({ secret, what }: { secret: string; what: string }) {
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle");
  const text = useRef<HTMLElement>(null);

  async function copy() {
    try {
      await navigator.clipboard.writeText(secret);
      setState("copied");
    } catch {
      if (text.current) window.getSelection()?.selectAllChildren(text.current);
      setState("failed");
    }
  }

  return (
    <div className="flex items-center gap-2 rounded-md border bg-raised py-1.5 pr-1.5 pl-3 max-sm:flex-col max-sm:items-stretch">
      <code ref={text} className="min-w-0 flex-1 select-all break-all font-mono text-xs leading-5" data-testid="secret">
        {secret}
      </code>
      <Button
        onClick={copy}
        data-autofocus
        icon={state === "copied" ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
      >
        {state === "copied" ? "Copied" : `Copy ${what}`}
      </Button>
      <output className={state === "failed" ? "text-red text-xs" : "sr-only"}>
        {state === "copied" ? "Copied" : state === "failed" ? "Copy the selected text" : ""}
      </output>
    </div>
  );
}

function LostSecretDialog({ name, onDone }: { name: string; onDone: () => void }) {
  return (
    <Dialog
      onClose={onDone}
      title="The key was created, but its secret was lost"
      footer={
        <Button variant="primary" onClick={onDone}>
          Go to the keys
        </Button>
      }
    >
      <p>
        An earlier attempt already created <span className="font-medium">{name}</span>, but the response with its secret
        did not arrive. Rotate the key to get a new secret, or revoke it.
      </p>
    </Dialog>
  );
}
