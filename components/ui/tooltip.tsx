"use client";

import {
  cloneElement,
  type FocusEvent,
  type HTMLAttributes,
  type ReactElement,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { createPortal } from "react-dom";
import { type Align, floatingRoot, type Side, useFloating } from "./use-floating";

const DELAY_MS = 400;

type TooltipProps = {
  content: ReactNode | (() => ReactNode);
  side?: Side;
  align?: Align;
  /** Read aloud as the child's description; false where the child says the same already. */
  describes?: boolean;
  /** One element that takes handlers. */
  children: ReactElement<HTMLAttributes<HTMLElement>>;
};

/** On hover after a moment, on keyboard focus at once; Escape hides it. Never the only place of something important. */
export function Tooltip({ content, side = "top", align = "center", describes = true, children }: TooltipProps) {
  const id = useId();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const own = children.props;

  useEffect(() => () => clearTimeout(timer.current), []);
  const hide = () => {
    clearTimeout(timer.current);
    setAnchor(null);
  };
  const child = cloneElement(children, {
    "aria-describedby": anchor && describes ? id : own["aria-describedby"],
    onPointerEnter: (event) => {
      own.onPointerEnter?.(event);
      if (event.pointerType === "touch") return;
      const element = event.currentTarget;
      clearTimeout(timer.current);
      timer.current = setTimeout(() => setAnchor(element), DELAY_MS);
    },
    onPointerLeave: (event) => {
      own.onPointerLeave?.(event);
      hide();
    },
    onPointerDown: (event) => {
      own.onPointerDown?.(event);
      hide();
    },
    onFocus: (event: FocusEvent<HTMLElement>) => {
      own.onFocus?.(event);
      if (event.currentTarget.matches(":focus-visible")) setAnchor(event.currentTarget);
    },
    onBlur: (event: FocusEvent<HTMLElement>) => {
      own.onBlur?.(event);
      hide();
    },
    onKeyDown: (event) => {
      own.onKeyDown?.(event);
      if (event.key === "Escape") hide();
    },
  });
  return (
    <>
      {child}
      {anchor && (
        <Bubble id={id} anchor={anchor} side={side} align={align}>
          {typeof content === "function" ? content() : content}
        </Bubble>
      )}
    </>
  );
}

type BubbleProps = { id: string; anchor: HTMLElement; side: Side; align: Align; children: ReactNode };

function Bubble({ id, anchor, side, align, children }: BubbleProps) {
  const anchorRef = useRef<HTMLElement | null>(anchor);
  const ref = useRef<HTMLDivElement>(null);
  useFloating(anchorRef, ref, { side, align });
  return createPortal(
    <div ref={ref} id={id} role="tooltip" popover="manual" className="tooltip">
      {children}
    </div>,
    floatingRoot(anchor),
  );
}
