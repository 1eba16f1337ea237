"use client";

import { ArrowDown, ArrowUp } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { flushSync } from "react-dom";
import { Button } from "./button";
import { Checkbox } from "./checkbox";

export type ColumnListProps<Name extends string> = {
  /** All columns with their labels. */
  all: Readonly<Record<Name, { label: string }>>;
  /** Visible columns in order. */
  visible: readonly Name[];
  onChange: (visible: readonly Name[]) => void;
  /** Restores the page's default columns. */
  onReset: () => void;
};

/** Selects and orders the columns of a table. */
export function ColumnList<Name extends string>({ all, visible, onChange, onReset }: ColumnListProps<Name>) {
  const list = useRef<HTMLUListElement>(null);
  const hidden = (Object.keys(all) as Name[]).filter((name) => !visible.includes(name));
  // Moving an element drops its focus, so restore it.
  const keepFocus = (change: () => void) => {
    const id = document.activeElement?.id;
    flushSync(change);
    if (id) list.current?.querySelector<HTMLElement>(`#${CSS.escape(id)}`)?.focus();
  };
  const move = (name: Name, step: -1 | 1) => {
    const at = visible.indexOf(name);
    const next = visible.filter((other) => other !== name);
    next.splice(at + step, 0, name);
    keepFocus(() => onChange(next));
  };
  return (
    <>
      <p className="mb-1 text-soft text-xs">Shown columns come first, in their order.</p>
      <ul ref={list}>
        {[...visible, ...hidden].map((name, index) => {
          const { label } = all[name];
          const isShown = index < visible.length;
          return (
            <li key={name} className="flex h-8 items-center gap-1">
              <span className="flex-1">
                <Checkbox
                  id={`column-${name}`}
                  label={label}
                  checked={isShown}
                  disabled={isShown && visible.length === 1}
                  onChange={() =>
                    keepFocus(() => onChange(isShown ? visible.filter((other) => other !== name) : [...visible, name]))
                  }
                />
              </span>
              {isShown && (
                <>
                  <MoveButton
                    id={`column-${name}-up`}
                    label={`Move ${label} up`}
                    disabled={index === 0}
                    onMove={() => move(name, -1)}
                  >
                    <ArrowUp aria-hidden="true" />
                  </MoveButton>
                  <MoveButton
                    id={`column-${name}-down`}
                    label={`Move ${label} down`}
                    disabled={index === visible.length - 1}
                    onMove={() => move(name, 1)}
                  >
                    <ArrowDown aria-hidden="true" />
                  </MoveButton>
                </>
              )}
            </li>
          );
        })}
      </ul>
      <div className="sticky -bottom-3 -mx-3 -mb-3 border-t bg-ground px-3 py-2">
        <Button size="sm" variant="ghost" onClick={onReset}>
          Reset columns
        </Button>
      </div>
    </>
  );
}

type MoveButtonProps = { id: string; label: string; disabled: boolean; onMove: () => void; children: ReactNode };

/** Focusable even at the ends, so that the focus isn't lost. */
function MoveButton({ id, label, disabled, onMove, children }: MoveButtonProps) {
  return (
    <Button
      id={id}
      size="sm"
      variant="ghost"
      className="button-icon aria-disabled:opacity-30"
      aria-label={label}
      aria-disabled={disabled || undefined}
      onClick={disabled ? undefined : onMove}
    >
      {children}
    </Button>
  );
}
