"use client";

import { cloneElement, type HTMLAttributes, isValidElement, type ReactNode } from "react";

type TriggerAttributes = HTMLAttributes<HTMLElement> & { "data-anchor"?: string };

export type TriggerProps = {
  /** Make the child itself the trigger instead of a plain button around it. */
  asChild?: boolean;
  className?: string;
  children: ReactNode;
};

/** What opens something: handlers of its own and of the child both run, the child's first. */
export function Trigger({
  asChild,
  attributes,
  className,
  children,
}: TriggerProps & { attributes: TriggerAttributes }) {
  if (asChild && isValidElement<TriggerAttributes>(children)) {
    return cloneElement(children, merge(children.props, attributes));
  }
  return (
    <button type="button" {...attributes} className={className}>
      {children}
    </button>
  );
}

function merge(theirs: TriggerAttributes, ours: TriggerAttributes): TriggerAttributes {
  const merged: Record<string, unknown> = { ...ours };
  for (const [name, handler] of Object.entries(ours)) {
    const first: unknown = theirs[name as keyof TriggerAttributes];
    if (typeof handler !== "function" || typeof first !== "function") continue;
    merged[name] = (event: Event) => {
      first(event);
      if (!event.defaultPrevented) handler(event);
    };
  }
  return merged;
}
