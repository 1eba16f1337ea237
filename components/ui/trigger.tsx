"use client";

import { cloneElement, type HTMLAttributes, isValidElement, type ReactNode, type Ref, type RefObject } from "react";

type TriggerAttributes = HTMLAttributes<HTMLElement> & { ref?: Ref<HTMLElement> };

type TriggerProps = {
  /** Make the child itself the trigger instead of a plain button around it. */
  asChild?: boolean;
  attributes: TriggerAttributes;
  className?: string;
  children: ReactNode;
};

/** What opens something: handlers of its own and of the child both run, the child's first. */
export function Trigger({ asChild, attributes, className, children }: TriggerProps) {
  if (!asChild || !isValidElement<TriggerAttributes>(children)) {
    return (
      <button type="button" {...attributes} ref={attributes.ref as Ref<HTMLButtonElement>} className={className}>
        {children}
      </button>
    );
  }
  const own = children.props;
  const merged: TriggerAttributes = { ...attributes };
  for (const [name, handler] of Object.entries(attributes)) {
    const theirs = own[name as keyof TriggerAttributes] as unknown;
    if (typeof handler !== "function" || typeof theirs !== "function" || name === "ref") continue;
    Object.assign(merged, {
      [name]: (event: Event) => {
        theirs(event);
        if (!event.defaultPrevented) handler(event);
      },
    });
  }
  merged.ref = joinRefs(own.ref, attributes.ref);
  return cloneElement(children, merged);
}

function joinRefs(...refs: (Ref<HTMLElement> | undefined)[]): Ref<HTMLElement> {
  return (element) => {
    for (const ref of refs) {
      if (typeof ref === "function") ref(element);
      else if (ref) (ref as RefObject<HTMLElement | null>).current = element;
    }
  };
}
