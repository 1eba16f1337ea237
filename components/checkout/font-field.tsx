"use client";

import { useState } from "react";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { Select } from "@/components/ui/select";
import { CUSTOM_FONT, FONTS, isFontFamily } from "@/lib/client/checkout/appearance-form";

type FontFieldProps = {
  /** Undefined is the form's own. */
  value: string | undefined;
  refusal: string | undefined;
  onChange: (family: string | undefined) => void;
};

/** A family that browsers have, or names of your own. */
export function FontField({ value = "", refusal, onChange }: FontFieldProps) {
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
          hint="Names as in CSS, the first that the shopper’s device has is used. Nothing is downloaded."
          error={wrong ? "Use names of fonts with commas between them, such as Futura, sans-serif." : refusal}
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
