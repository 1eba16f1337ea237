"use client";

import { useRouter } from "next/navigation";
import { type SubmitEvent, useRef, useState } from "react";
import { FormFailure } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { CodeFigure } from "@/components/ui/copy-button";
import { LiveFieldset, UnsavedGuard } from "@/components/ui/form";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import {
  cleanAppearance,
  isFontFamily,
  isSameAppearance,
  type ReadableProblem,
  readableProblems,
} from "@/lib/client/checkout/appearance-form";
import { useSubmit } from "@/lib/client/use-submit";
import type { Appearance } from "@/lib/contract/checkout/appearance";
import type { Mode } from "@/lib/contract/transactions/words";
import { AppearanceFields } from "./appearance-fields";
import { AppearancePreview } from "./appearance-preview";

const MEMBERS = ["preset", "theme", "accent_color", "background_color", "text_color", "border_radius", "font_family"];
const PARAMS = MEMBERS.map((member) => `appearance.${member}`);

type AppearanceEditorProps = { mode: Mode; loaded: Appearance | null };

/** How the payment form looks in one environment, with the form itself beside it. */
export function AppearanceEditor({ mode, loaded }: AppearanceEditorProps) {
  const router = useRouter();
  const [saved, setSaved] = useState(loaded);
  const [draft, setDraft] = useState<Appearance>(loaded ?? {});
  // Fields hold what is being typed; after a reset they begin anew.
  const [resets, setResets] = useState(0);
  const { pending, failure, run, refuse, clear } = useSubmit(PARAMS);
  const form = useRef<HTMLFormElement>(null);
  const problems = readableProblems(draft);
  const dirty = !isSameAppearance(saved, draft);
  const code = JSON.stringify({ appearance: cleanAppearance(draft) ?? {} }, null, 2);

  function change(next: Appearance) {
    setDraft(next);
    clear();
  }

  function setAll(next: Appearance) {
    change(next);
    setResets(resets + 1);
  }

  async function save(event: SubmitEvent) {
    event.preventDefault();
    const wrong = wrongMember(draft, problems);
    if (wrong !== null) {
      refuse({ text: wrong === "font_family" ? WRONG_FONT : WRONG_COLOR });
      form.current?.querySelector<HTMLInputElement>(`[name="${wrong}"]`)?.focus();
      return;
    }
    await run(send, event);
  }

  async function send() {
    const body = { appearance: cleanAppearance(draft) };
    const path = `/api/dashboard/${mode}/checkout/appearance`;
    const { data } = await callApi<{ appearance: Appearance | null }>({ method: "PATCH", path, body });
    setSaved(data.appearance);
    setDraft(data.appearance ?? {});
    toast.success("Appearance saved");
    router.refresh();
  }

  return (
    <div className="grid items-start gap-6 lg:grid-cols-[20rem_minmax(0,1fr)]">
      <form ref={form} onSubmit={save} noValidate aria-label="Appearance" className="min-w-0">
        <LiveFieldset className="flex min-w-0 flex-col gap-5">
          <FormFailure failure={failure} />
          <AppearanceFields
            key={resets}
            draft={draft}
            problems={problems}
            refusals={Object.fromEntries(
              MEMBERS.map((member) => [member, failure.fields[`appearance.${member}`] ?? ""]).filter(
                ([, text]) => text,
              ),
            )}
            onChange={change}
          />
          <div className="flex flex-wrap items-center gap-2 border-t pt-4 max-lg:sticky max-lg:bottom-0 max-lg:z-10 max-lg:bg-ground max-lg:pb-4">
            <Button type="submit" variant="primary" pending={pending} disabled={!dirty && !pending}>
              Save
            </Button>
            <Button onClick={() => setAll(saved ?? {})} disabled={!dirty || pending}>
              Discard
            </Button>
            <Button
              variant="ghost"
              onClick={() => setAll({})}
              disabled={cleanAppearance(draft) === null || pending}
              className="ml-auto"
            >
              Reset to default
            </Button>
          </div>
        </LiveFieldset>
      </form>
      <div className="flex min-w-0 flex-col gap-4 max-lg:order-first lg:sticky lg:top-16">
        <AppearancePreview appearance={draft} />
        <details className="rounded-lg border px-4 py-2.5 text-[13px]">
          <summary className="font-medium">Use it in one session only</summary>
          <p className="my-2 text-soft">
            Send this with POST /v1/client-sessions, or to the form with Cardlane.mount: it goes before what is saved
            here.
          </p>
          <CodeFigure title="JSON" code={code} />
        </details>
      </div>
      <UnsavedGuard dirty={dirty && !pending} />
    </div>
  );
}

const WRONG_FONT = "Mend the names of the fonts first.";
const WRONG_COLOR = "Mend the colours first: shoppers who see less well could not pay.";

function wrongMember({ font_family: font }: Appearance, problems: readonly ReadableProblem[]): string | null {
  if (font !== undefined && !isFontFamily(font)) return "font_family";
  return problems[0]?.param ?? null;
}
