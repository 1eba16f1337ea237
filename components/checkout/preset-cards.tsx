"use client";

import { RadioCards } from "@/components/ui/radio-cards";
import { PRESET_WORDS, PRESETS } from "@/lib/client/checkout/appearance-form";
import { type AppearancePreset, resolveAppearance } from "@/lib/contract/appearance";

type PresetCardsProps = { value: AppearancePreset; onChange: (preset: AppearancePreset) => void };

/** Where to begin: each with a small picture of the form in it. */
export function PresetCards({ value, onChange }: PresetCardsProps) {
  return (
    <RadioCards
      legend="Style"
      className="[&>div]:grid-cols-2"
      value={value}
      onChange={onChange}
      options={PRESETS.map((preset) => ({
        value: preset,
        label: PRESET_WORDS[preset].label,
        description: (
          <>
            {PRESET_WORDS[preset].sentence}
            <Picture preset={preset} />
          </>
        ),
      }))}
    />
  );
}

function Picture({ preset }: { preset: AppearancePreset }) {
  const { theme, colors, borderRadius } = resolveAppearance({ preset });
  const { accent, background, text } = colors[theme === "dark" ? "dark" : "light"];
  const round = Math.min(borderRadius, 8) * 0.75;
  return (
    <svg viewBox="0 0 120 62" aria-hidden="true" className="mt-1.5 block w-full max-w-32">
      <rect
        x="0.5"
        y="0.5"
        width="119"
        height="61"
        rx={round + 2}
        fill={background}
        stroke={text}
        strokeOpacity="0.25"
      />
      {[8, 25].map((y) => (
        <rect key={y} x="9" y={y} width="102" height="12" rx={round} fill="none" stroke={text} strokeOpacity="0.45" />
      ))}
      <rect x="14" y="12.5" width="34" height="3" fill={text} fillOpacity="0.6" />
      <rect x="14" y="29.5" width="20" height="3" fill={text} fillOpacity="0.6" />
      <rect x="9" y="42" width="102" height="12" rx={round} fill={accent} />
    </svg>
  );
}
