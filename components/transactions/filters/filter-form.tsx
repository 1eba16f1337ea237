"use client";

import type { ReactNode } from "react";
import { Button } from "@/components/ui/button";

type FilterFormProps = {
  onApply: (data: Record<string, string>) => void;
  /** Absent when the filter is not in use. */
  onRemove?: (() => void) | undefined;
  children: ReactNode;
};

/** Typed filters count when they are complete: by Enter or the button. */
export function FilterForm({ onApply, onRemove, children }: FilterFormProps) {
  return (
    <form
      className="flex flex-col gap-3"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const data = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value).trim()]);
        onApply(Object.fromEntries(data));
      }}
    >
      {children}
      <div className="flex gap-2">
        <Button type="submit" size="sm" variant="primary">
          Apply
        </Button>
        {onRemove && (
          <Button size="sm" variant="ghost" onClick={onRemove}>
            Remove filter
          </Button>
        )}
      </div>
    </form>
  );
}
