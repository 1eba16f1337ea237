"use client";

import { RotateCcw } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { IconButton } from "@/components/ui/icon-button";
import { Input } from "@/components/ui/input";
import { colorTyped, fullHex, type ReadableProblem } from "@/lib/client/checkout/appearance-form";

type ColorFieldProps = {
  name: string;
  label: string;
  /** Undefined while it is the style's own, which is `own`. */
  value: string | undefined;
  own: string;
  problem: ReadableProblem | undefined;
  /** What the server said of it. */
  refusal: string | undefined;
  onChange: (color: string | undefined) => void;
};

/** A colour by eye or by number; empty is the style's own. */
export function ColorField({ name, label, value, own, problem, refusal, onChange }: ColorFieldProps) {
  // What is being typed and is no colour yet: the last one that was stays in force until it is left.
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
              label={`${label}: as the style has it`}
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
