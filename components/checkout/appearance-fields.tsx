"use client";

import { RotateCcw } from "lucide-react";
import { useId, useState } from "react";
import { Button } from "@/components/ui/button";
import { RadioCards } from "@/components/ui/choices";
import { Field, Input, Select } from "@/components/ui/field";
import { IconButton } from "@/components/ui/floating";
import {
  COLOR_MEMBERS,
  COLOR_WORDS,
  CUSTOM_FONT,
  colorTyped,
  FONTS,
  fullHex,
  isFontFamily,
  ownColor,
  PRESET_WORDS,
  PRESETS,
  type ReadableProblem,
  THEME_SENTENCES,
  THEME_WORDS,
  withPreset,
} from "@/lib/client/checkout/appearance-form";
import {
  APPEARANCE_THEMES,
  type Appearance,
  type AppearancePreset,
  resolveAppearance,
} from "@/lib/contract/checkout/appearance";

const MAX_RADIUS = 24;

type AppearanceFieldsProps = {
  draft: Appearance;
  problems: readonly ReadableProblem[];
  /** The server's error for a member. */
  errorOf: (member: string) => string | undefined;
  onChange: (draft: Appearance) => void;
};

export function AppearanceFields({ draft, problems, errorOf, onChange }: AppearanceFieldsProps) {
  const { theme, borderRadius } = resolveAppearance(draft);
  return (
    <>
      <PresetCards value={draft.preset ?? "clean"} onChange={(preset) => onChange(withPreset(draft, preset))} />
      <div>
        <RadioCards
          legend="Scheme"
          className="[&>div]:grid-cols-2 [&_label:last-child]:col-span-2"
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
          refusal={errorOf(member)}
          onChange={(color) => onChange({ ...draft, [member]: color })}
        />
      ))}
      <RadiusField value={borderRadius} onChange={(radius) => onChange({ ...draft, border_radius: radius })} />
      <FontField
        value={draft.font_family}
        refusal={errorOf("font_family")}
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

type PresetCardsProps = { value: AppearancePreset; onChange: (preset: AppearancePreset) => void };

/** Presets as a starting point, each with a miniature of the form. */
function PresetCards({ value, onChange }: PresetCardsProps) {
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

type ColorFieldProps = {
  name: string;
  label: string;
  /** Undefined means the style's own value, `own`. */
  value: string | undefined;
  own: string;
  problem: ReadableProblem | undefined;
  /** The server's error for this field. */
  refusal: string | undefined;
  onChange: (color: string | undefined) => void;
};

/** A color picker with a text field; empty means the style's own color. */
function ColorField({ name, label, value, own, problem, refusal, onChange }: ColorFieldProps) {
  // Half-typed text: the last valid color applies until the field is left.
  const [typed, setTyped] = useState<string | null>(null);
  const shown = fullHex(value ?? own);
  const instead = problem?.instead ?? null;

  function type(text: string) {
    const color = colorTyped(text);
    if (text.trim() === "") onChange(undefined);
    else if (color !== null) onChange(color);
    setTyped(text);
  }

  return (
    <Field
      label={label}
      error={
        problem ? (
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            {problem.message}
            {instead && (
              <Button
                size="sm"
                onClick={() => {
                  onChange(instead);
                  setTyped(null);
                }}
              >
                <Dot color={instead} /> Use {instead}
              </Button>
            )}
          </span>
        ) : (
          refusal
        )
      }
    >
      {(props) => (
        <div className="flex gap-2">
          <input
            type="color"
            aria-label={`${label}: pick`}
            value={shown}
            onChange={(event) => {
              onChange(event.target.value);
              setTyped(null);
            }}
            className="color-well"
          />
          <Input
            {...props}
            name={name}
            value={typed ?? value ?? ""}
            placeholder={own}
            onChange={(event) => type(event.target.value)}
            onBlur={() => setTyped(null)}
            spellCheck={false}
            autoComplete="off"
            maxLength={7}
            className="font-mono"
          />
          {value !== undefined && (
            <IconButton
              label={`${label}: preset default`}
              onClick={() => {
                onChange(undefined);
                setTyped(null);
              }}
            >
              <RotateCcw aria-hidden="true" />
            </IconButton>
          )}
        </div>
      )}
    </Field>
  );
}

function Dot({ color }: { color: string }) {
  return (
    <svg viewBox="0 0 10 10" aria-hidden="true" className="size-2.5!">
      <circle cx="5" cy="5" r="4.5" fill={color} stroke="currentColor" strokeOpacity="0.4" />
    </svg>
  );
}

type FontFieldProps = {
  /** Undefined means the form's own. */
  value: string | undefined;
  refusal: string | undefined;
  onChange: (family: string | undefined) => void;
};

/** A common font family, or custom names. */
function FontField({ value = "", refusal, onChange }: FontFieldProps) {
  const listed = FONTS.some((font) => font.value === value);
  const [custom, setCustom] = useState(!listed);
  const own = custom || !listed;
  const wrong = own && value !== "" && !isFontFamily(value);
  return (
    <>
      <Field label="Font" {...(!own && { error: refusal })}>
        {(props) => (
          <Select
            {...props}
            value={own ? CUSTOM_FONT : value}
            onChange={({ target }) => {
              setCustom(target.value === CUSTOM_FONT);
              if (target.value !== CUSTOM_FONT) onChange(target.value || undefined);
            }}
          >
            {FONTS.map((font) => (
              <option key={font.label} value={font.value}>
                {font.label}
              </option>
            ))}
            <option value={CUSTOM_FONT}>Other…</option>
          </Select>
        )}
      </Field>
      {own && (
        <Field
          label="Font families"
          hint="CSS font names. The first one installed on the shopper’s device is used; nothing is downloaded."
          error={wrong ? "Separate font names with commas, such as Futura, sans-serif." : refusal}
        >
          {(props) => (
            <Input
              {...props}
              name="font_family"
              value={value}
              onChange={(event) => onChange(event.target.value || undefined)}
              spellCheck={false}
              autoComplete="off"
              maxLength={100}
              placeholder="Futura, sans-serif"
              className="font-mono"
            />
          )}
        </Field>
      )}
    </>
  );
}
