"use client";

import {
  type ComponentProps,
  cloneElement,
  type HTMLAttributes,
  type ReactElement,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { createPortal } from "react-dom";
import { Button } from "./button";
import { type ButtonVariant, cn } from "./styles";
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
  const [target, setTarget] = useState<{ anchor: HTMLElement; delayMs: number } | null>(null);
  const own = children.props;
  const child = cloneElement(children, {
    "aria-describedby": target && describes ? id : own["aria-describedby"],
    onPointerEnter: (event) => {
      own.onPointerEnter?.(event);
      if (event.pointerType !== "touch") setTarget({ anchor: event.currentTarget, delayMs: DELAY_MS });
    },
    onPointerLeave: (event) => {
      own.onPointerLeave?.(event);
      setTarget(null);
    },
    onPointerDown: (event) => {
      own.onPointerDown?.(event);
      setTarget(null);
    },
    onFocus: (event) => {
      own.onFocus?.(event);
      const anchor = event.currentTarget;
      if (anchor.matches(":focus-visible")) setTarget({ anchor, delayMs: 0 });
    },
    onBlur: (event) => {
      own.onBlur?.(event);
      setTarget(null);
    },
    onKeyDown: (event) => {
      own.onKeyDown?.(event);
      if (event.key === "Escape") setTarget(null);
    },
  });
  return (
    <>
      {child}
      {target && (
        <Delayed ms={target.delayMs}>
          <Bubble id={id} anchor={target.anchor} side={side} align={align}>
            {typeof content === "function" ? content() : content}
          </Bubble>
        </Delayed>
      )}
    </>
  );
}

function Delayed({ ms, children }: { ms: number; children: ReactNode }) {
  const [due, setDue] = useState(ms === 0);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return due ? children : null;
}

type BubbleProps = { id: string; anchor: HTMLElement; side: Side; align: Align; children: ReactNode };

function Bubble({ id, anchor, side, align, children }: BubbleProps) {
  const ref = useRef<HTMLDivElement>(null);
  useFloating(anchor, ref, { side, align });
  return createPortal(
    <div ref={ref} id={id} role="tooltip" popover="manual" className="tooltip">
      {children}
    </div>,
    floatingRoot(anchor),
  );
}

type IconButtonProps = Omit<ComponentProps<typeof Button>, "children" | "icon" | "aria-label"> & {
  /** What it does: read aloud, and shown in a tooltip. */
  label: string;
  /** Shown behind the label in the tooltip, e.g. a key. */
  shortcut?: ReactNode;
  variant?: ButtonVariant;
  children: ReactNode;
};

export function IconButton({ label, shortcut, variant = "ghost", className, children, ...rest }: IconButtonProps) {
  return (
    <Tooltip
      content={
        shortcut ? (
          <>
            {label} {shortcut}
          </>
        ) : (
          label
        )
      }
      describes={false}
    >
      <Button {...rest} variant={variant} aria-label={label} className={cn("button-icon", className)}>
        {children}
      </Button>
    </Tooltip>
  );
}
