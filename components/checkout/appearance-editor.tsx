"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { CodeFigure } from "@/components/ui/copy";
import { Form } from "@/components/ui/form";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import {
  cleanAppearance,
  isFontFamily,
  isSameAppearance,
  type ReadableProblem,
  readableProblems,
} from "@/lib/client/checkout/appearance-form";
import { FormRefusal, useForm } from "@/lib/client/use-form";
import { APPEARANCE_MEMBERS, type Appearance } from "@/lib/contract/checkout/appearance";
import type { Mode } from "@/lib/contract/transactions/words";
import { AppearanceFields } from "./appearance-fields";
import { AppearancePreview } from "./appearance-preview";

const PARAMS: readonly string[] = APPEARANCE_MEMBERS.map((member) => `appearance.${member}`);

type AppearanceEditorProps = { mode: Mode; loaded: Appearance | null };

/** Editor of the form's appearance in one environment, with a live preview. */
export function AppearanceEditor({ mode, loaded }: AppearanceEditorProps) {
  const router = useRouter();
  // A reset remounts the fields, which hold half-typed values.
  const [resets, setResets] = useState(0);
  const form = useForm<{ appearance: Appearance | null }>(
    { appearance: loaded },
    { place: ({ param, message }) => (PARAMS.includes(param) ? [param, message] : null) },
  );
  const { pending } = form;
  const draft = form.values.appearance ?? {};
  const problems = readableProblems(draft);
  const cleaned = cleanAppearance(draft);
  const dirty = !isSameAppearance(form.saved.appearance, draft);

  function change(appearance: Appearance | null) {
    form.set({ appearance });
    form.clearFailure();
  }

  function setAll(appearance: Appearance | null) {
    change(appearance);
    setResets(resets + 1);
  }

  async function save() {
    const wrong = wrongMember(draft, problems);
    if (wrong !== null) throw new FormRefusal(wrong === "font_family" ? WRONG_FONT : WRONG_COLOR, wrong);
    const body = { appearance: cleaned };
    const { data } = await callApi("PATCH /api/dashboard/{mode}/checkout/appearance", { params: { mode }, body });
    form.keep(data);
    toast.success("Appearance saved");
    router.refresh();
  }

  return (
    <div className="grid items-start gap-6 lg:grid-cols-[20rem_minmax(0,1fr)]">
      <Form form={{ ...form, dirty }} onSubmit={save} live guarded aria-label="Appearance">
        <AppearanceFields
          key={resets}
          draft={draft}
          problems={problems}
          errorOf={(member) => form.errorOf(`appearance.${member}`)}
          onChange={change}
        />
        <div className="flex flex-wrap items-center gap-2 border-t pt-4 max-lg:sticky max-lg:bottom-0 max-lg:z-10 max-lg:bg-ground max-lg:pb-4">
          <Button type="submit" variant="primary" pending={pending} disabled={!dirty && !pending}>
            Save
          </Button>
          <Button onClick={() => setAll(form.saved.appearance)} disabled={!dirty || pending}>
            Discard
          </Button>
          <Button
            variant="ghost"
            onClick={() => setAll(null)}
            disabled={cleaned === null || pending}
            className="ml-auto"
          >
            Reset to default
          </Button>
        </div>
      </Form>
      <div className="flex min-w-0 flex-col gap-4 max-lg:order-first lg:sticky lg:top-16">
        <AppearancePreview appearance={draft} />
        <details className="rounded-lg border px-4 py-2.5 text-[13px]">
          <summary className="font-medium">Use it for one session only</summary>
          <p className="my-2 text-soft">
            Send this with POST /v1/client-sessions, or with Cardlane.mount. It overrides what is saved here.
          </p>
          <CodeFigure title="JSON" code={JSON.stringify({ appearance: cleaned ?? {} }, null, 2)} />
        </details>
      </div>
    </div>
  );
}

const WRONG_FONT = "Fix the font names first.";
const WRONG_COLOR = "Fix the colors first: some shoppers could not read them.";

function wrongMember({ font_family: font }: Appearance, problems: readonly ReadableProblem[]): string | null {
  if (font !== undefined && !isFontFamily(font)) return "font_family";
  return problems[0]?.param ?? null;
}
