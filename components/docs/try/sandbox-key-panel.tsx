"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Field, Input } from "@/components/ui/field";
import { callApi, failureText } from "@/lib/client/api";
import { keepSandboxKey, sandboxKeyProblem, useSandboxKey } from "@/lib/client/docs/sandbox-key";
import { apiDocument, permissionsIn } from "@/lib/client/docs/try-request";
import { newIdempotencyKey } from "@/lib/client/payments/money-ports";
import type { Permission } from "@/lib/contract/permissions";

const DAY_MS = 86_400_000;
const KEYS_PAGE = "/test/developers/api-keys";

/** The key that the samples use, and how to get one. `missing`: something needs a key now. */
export function SandboxKeyPanel({ missing = false }: { missing?: boolean }) {
  const key = useSandboxKey();
  return key === null ? <ChooseKey missing={missing} /> : <ChosenKey secret={key.secret} expiresAt={key.expiresAt} />;
}

const time = new Intl.DateTimeFormat("en", { weekday: "long", hour: "2-digit", minute: "2-digit", hour12: false });

function ChosenKey({ secret, expiresAt }: { secret: string; expiresAt: string | null }) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[13px]">
      <p className="min-w-0 flex-1">
        Your test key <code className="tick">sk_test_…{secret.slice(-4)}</code>{" "}
        <span className="text-soft">
          is filled in on these pages, in this tab{expiresAt && ` until ${time.format(new Date(expiresAt))}`}. Revoke it
          under{" "}
          <a href={KEYS_PAGE} className="text-accent underline underline-offset-2">
            API keys
          </a>
          .
        </span>
      </p>
      <Button size="sm" variant="ghost" onClick={() => keepSandboxKey(null)}>
        Remove it
      </Button>
    </div>
  );
}

function ChooseKey({ missing }: { missing: boolean }) {
  const [pasted, setPasted] = useState("");
  const [problem, setProblem] = useState("");
  const [failure, setFailure] = useState("");
  const [pending, setPending] = useState(false);
  const [attempt, setAttempt] = useState(newIdempotencyKey);

  async function create() {
    setPending(true);
    setFailure("");
    try {
      const body = {
        attempt,
        name: "Documentation",
        ip_allow_list: [],
        permissions: permissionsIn(await apiDocument()) as Permission[],
        expires_at: new Date(Date.now() + DAY_MS).toISOString(),
      };
      const { data } = await callApi("POST /api/dashboard/{mode}/api-keys", { params: { mode: "test" }, body });
      setAttempt(newIdempotencyKey());
      if (data.secret === null) {
        setFailure(
          "The key was created, but its response was lost. Revoke it under API keys and create another one here.",
        );
      } else keepSandboxKey({ secret: data.secret, expiresAt: data.api_key.expires_at });
    } catch (error) {
      setFailure(failureText(error));
    } finally {
      setPending(false);
    }
  }

  function paste() {
    const secret = pasted.trim();
    const wrong = sandboxKeyProblem(secret);
    setProblem(wrong ?? "");
    if (wrong === null) keepSandboxKey({ secret, expiresAt: null });
    // A live key must not stay on screen.
    else if (secret.startsWith("sk_live_")) setPasted("");
  }

  return (
    <div className="space-y-3 text-[13px]">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button size="sm" pending={pending} onClick={create}>
          Create a test key
        </Button>
        <p className="min-w-48 flex-1 text-soft text-xs">
          For signed-in owners. The key works for 24 hours, stays in this tab, and is listed under{" "}
          <a href={KEYS_PAGE} className="text-accent underline underline-offset-2">
            API keys
          </a>
          .
        </p>
      </div>
      {failure && (
        <p role="alert" className="text-red text-xs">
          {failure}
        </p>
      )}
      <form
        className="flex items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          paste();
        }}
      >
        <Field
          label="Or paste one"
          className="flex-1"
          error={problem || (missing ? "Create or paste a test key first." : undefined)}
        >
          {(control) => (
            <Input
              {...control}
              type="password"
              autoComplete="off"
              spellCheck={false}
              placeholder="sk_test_…"
              className="font-mono"
              value={pasted}
              onChange={(event) => {
                setPasted(event.target.value);
                setProblem("");
              }}
            />
          )}
        </Field>
        <Button type="submit" size="sm" className="self-start mt-6.5 h-8">
          Use
        </Button>
      </form>
    </div>
  );
}
