"use client";

import { useId } from "react";
import { RadioCards } from "@/components/ui/radio-cards";
import {
  COLOR_MEMBERS,
  COLOR_WORDS,
  ownColor,
  type ReadableProblem,
  THEME_SENTENCES,
  THEME_WORDS,
  withPreset,
} from "@/lib/client/checkout/appearance-form";
import { APPEARANCE_THEMES, type Appearance, resolveAppearance } from "@/lib/contract/appearance";
import { ColorField } from "./color-field";
import { FontField } from "./font-field";
import { PresetCards } from "./preset-cards";

const MAX_RADIUS = 24;

type AppearanceFieldsProps = {
  draft: Appearance;
  problems: readonly ReadableProblem[];
  /** Member → what the server said of it. */
  refusals: Readonly<Record<string, string>>;
  onChange: (draft: Appearance) => void;
};

export function AppearanceFields({ draft, problems, refusals, onChange }: AppearanceFieldsProps) {
  const { theme, borderRadius } = resolveAppearance(draft);
  return (
    <>
      <PresetCards value={draft.preset ?? "clean"} onChange={(preset) => onChange(withPreset(draft, preset))} />
      <div>
        <RadioCards
          legend="Scheme"
          className="[&>div]:grid-cols-3"
          value={theme}
          onChange={(chosen) => onChange({ ...draft, theme: chosen })}
          options={APPEARANCE_THEMES.map((value) => ({ value, label: THEME_WORDS[value] }))}
        />
        <p className="mt-1.5 text-soft text-xs leading-5">{THEME_SENTENCES[theme]}</p>
      </div>
      {COLOR_MEMBERS.map((member) => (
        <ColorField
          key={member}
          name={member}
          label={COLOR_WORDS[member]}
          value={draft[member]}
          own={ownColor(draft, member)}
          problem={problems.find(({ param }) => param === member)}
          refusal={refusals[member]}
          onChange={(color) => onChange({ ...draft, [member]: color })}
        />
      ))}
      <RadiusField value={borderRadius} onChange={(radius) => onChange({ ...draft, border_radius: radius })} />
      <FontField
        value={draft.font_family}
        refusal={refusals.font_family}
        onChange={(family) => onChange({ ...draft, font_family: family })}
      />
    </>
  );
}

function RadiusField({ value, onChange }: { value: number; onChange: (radius: number) => void }) {
  const id = useId();
  return (
    <div>
      <div className="flex items-baseline justify-between">
        <label htmlFor={id} className="font-medium text-[13px] leading-5">
          Corner radius
        </label>
        <output htmlFor={id} className="font-mono text-soft text-xs tabular-nums">
          {value} px
        </output>
      </div>
      <input
        id={id}
        name="border_radius"
        type="range"
        min={0}
        max={MAX_RADIUS}
        step={1}
        value={value}
        onChange={(event) => onChange(event.target.valueAsNumber)}
        aria-valuetext={`${value} pixels`}
        className="mt-1 block h-6 w-full accent-accent"
      />
    </div>
  );
}
