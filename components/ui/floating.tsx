"use client";

import {
  type ComponentProps,
  cloneElement,
  createContext,
  type HTMLAttributes,
  isValidElement,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  type RefObject,
  use,
  useCallback,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { createPortal } from "react-dom";
import { Button } from "./button";
import { cn } from "./styles";

type FloatingState = {
  open: boolean;
  setOpen: (open: boolean) => void;
  /** Opened by the up arrow: focus the last item. */
  fromEnd: boolean;
  setFromEnd: (fromEnd: boolean) => void;
  id: string;
};

const FloatingContext = createContext<FloatingState | null>(null);

export function usePopover(): FloatingState {
  const state = use(FloatingContext);
  if (!state) throw new Error("The parts of a popover or menu must be inside one");
  return state;
}

type PopoverProps = {
  /** Controlled state. */
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  children: ReactNode;
};

/** A small box beside its trigger; Escape or a press elsewhere closes it. */
export function Popover({ open: given, onOpenChange, children }: PopoverProps) {
  const [own, setOwn] = useState(false);
  const open = given ?? own;
  const setOpen = useCallback(
    (next: boolean) => {
      setOwn(next);
      onOpenChange?.(next);
    },
    [onOpenChange],
  );
  const [fromEnd, setFromEnd] = useState(false);
  const id = useId();
  const state = useMemo(() => ({ open, setOpen, fromEnd, setFromEnd, id }), [open, setOpen, fromEnd, id]);
  return <FloatingContext value={state}>{children}</FloatingContext>;
}

type TriggerAttributes = HTMLAttributes<HTMLElement> & { "data-anchor"?: string };

export type TriggerProps = {
  /** Uses the child itself as the trigger instead of wrapping it in a button. */
  asChild?: boolean;
  popup?: "dialog" | "menu";
  className?: string;
  children: ReactNode;
  onKeyDown?: (event: KeyboardEvent) => void;
};

export function PopoverTrigger({ asChild, popup = "dialog", onKeyDown, className, children }: TriggerProps) {
  const { open, setOpen, setFromEnd, id } = usePopover();
  // A press closes the popover before the click that would open it again.
  const wasOpen = useRef(false);
  const attributes: TriggerAttributes = {
    "data-anchor": id,
    "aria-haspopup": popup,
    "aria-expanded": open,
    "aria-controls": open ? id : undefined,
    onPointerDown: () => {
      wasOpen.current = open;
    },
    onClick: (event) => {
      setFromEnd(false);
      setOpen(event.detail > 0 ? !wasOpen.current : !open);
    },
    ...(onKeyDown && { onKeyDown }),
  };
  return (
    <Trigger asChild={asChild} attributes={attributes} className={className}>
      {children}
    </Trigger>
  );
}

type InnerTriggerProps = {
  asChild: boolean | undefined;
  attributes: TriggerAttributes;
  className: string | undefined;
  children: ReactNode;
};

function Trigger({ asChild, attributes, className, children }: InnerTriggerProps) {
  if (asChild && isValidElement<TriggerAttributes>(children)) {
    return cloneElement(children, merge(children.props, attributes));
  }
  return (
    <button type="button" {...attributes} className={className}>
      {children}
    </button>
  );
}

/** Runs both handlers, the child's first. */
function merge(childProps: TriggerAttributes, ownProps: TriggerAttributes): TriggerAttributes {
  const merged: Record<string, unknown> = { ...ownProps };
  for (const [name, handler] of Object.entries(ownProps)) {
    const first: unknown = childProps[name as keyof TriggerAttributes];
    if (typeof handler !== "function" || typeof first !== "function") continue;
    merged[name] = (event: Event) => {
      first(event);
      if (!event.defaultPrevented) handler(event);
    };
  }
  return merged;
}

export type FloatingBoxProps = { side?: Side; align?: Align; className?: string; children: ReactNode };

type PopoverContentProps = FloatingBoxProps & {
  /** Accessible name. */
  label?: string;
};

export function PopoverContent(props: PopoverContentProps) {
  return usePopover().open ? (
    <FloatingBox
      role="dialog"
      findFocus={firstWanted}
      onKeyDown={(event) => {
        if (event.key === "Escape") event.stopPropagation();
      }}
      {...props}
      className={cn("p-3 text-[13px]", props.className)}
    />
  ) : null;
}

type OpenBoxProps = PopoverContentProps & {
  role: "dialog" | "menu";
  /** The element to focus first. */
  findFocus: (box: HTMLElement) => HTMLElement | null | undefined;
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
};

/** The open box of a popover or menu. */
export function FloatingBox({
  role,
  label,
  side = "bottom",
  align = "start",
  findFocus,
  onKeyDown,
  className,
  children,
}: OpenBoxProps) {
  const { setOpen, id } = usePopover();
  const [anchor] = useState(() => anchorOf(id));
  const ref = useRef<HTMLDivElement>(null);
  useFloating(anchor, ref, { side, align });
  useFloatingFocus(anchor, ref, findFocus);
  return createPortal(
    // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useAriaPropsSupportedByRole: the caller sets its role
    <div // oxlint-disable-line jsx-a11y/no-static-element-interactions
      ref={ref}
      id={id}
      popover="auto"
      role={role}
      aria-label={label}
      tabIndex={-1}
      className={cn("floating", className)}
      onToggle={(event) => {
        if (event.newState === "closed" && event.currentTarget.isConnected) setOpen(false);
      }}
      onClick={(event) => event.stopPropagation()}
      onKeyDown={onKeyDown}
    >
      {children}
    </div>,
    floatingRoot(anchor),
  );
}

const FOCUSABLE = "a[href],button:not(:disabled),input:not(:disabled),select:not(:disabled),textarea:not(:disabled)";

const firstWanted = (box: HTMLElement) =>
  box.querySelector<HTMLElement>("[data-autofocus]") ?? box.querySelector<HTMLElement>(FOCUSABLE);

const DELAY_MS = 400;

type TooltipProps = {
  content: ReactNode | (() => ReactNode);
  /** Adds the text as the child's description; false if the child already has it. */
  describes?: boolean;
  /** A single element that accepts handlers. */
  children: ReactElement<HTMLAttributes<HTMLElement>>;
};

/**
 * Opens on hover after a delay and immediately on keyboard focus; Escape hides it. Never the only place of
 * important text.
 */
export function Tooltip({ content, describes = true, children }: TooltipProps) {
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
          <Bubble id={id} anchor={target.anchor}>
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

type BubbleProps = { id: string; anchor: HTMLElement; children: ReactNode };

function Bubble({ id, anchor, children }: BubbleProps) {
  const ref = useRef<HTMLDivElement>(null);
  useFloating(anchor, ref, { side: "top", align: "center" });
  return createPortal(
    <div ref={ref} id={id} role="tooltip" popover="manual" className="tooltip">
      {children}
    </div>,
    floatingRoot(anchor),
  );
}

type IconButtonProps = Omit<
  ComponentProps<typeof Button>,
  "children" | "icon" | "aria-label" | "variant" | "className"
> & {
  /** Accessible name and tooltip. */
  label: string;
  children: ReactNode;
};

export function IconButton({ label, children, ...rest }: IconButtonProps) {
  return (
    <Tooltip content={label} describes={false}>
      <Button {...rest} variant="ghost" aria-label={label} className="button-icon">
        {children}
      </Button>
    </Tooltip>
  );
}

type Side = "top" | "bottom";
type Align = "start" | "center" | "end";
type Placement = { side: Side; align: Align };

const GAP = 4;
const MARGIN = 8;

/** Positions `box` beside `anchor`; flips or shifts it to stay in the window. */
function place(anchor: HTMLElement, box: HTMLElement, { side, align }: Placement): void {
  const { scrollTop } = box;
  box.style.maxHeight = "";
  const a = anchor.getBoundingClientRect();
  const { clientWidth: width, clientHeight: height } = document.documentElement;
  const room = { top: a.top, bottom: height - a.bottom };
  const opposite = side === "top" ? "bottom" : "top";
  const needed = box.offsetHeight + GAP + MARGIN;
  const best = room[side] >= needed || room[opposite] <= room[side] ? side : opposite;
  box.style.maxHeight = `${Math.max(room[best] - GAP - MARGIN, 96)}px`;
  box.scrollTop = scrollTop;
  const { offsetWidth: w, offsetHeight: h } = box;
  const left = align === "start" ? a.left : align === "end" ? a.right - w : a.left + (a.width - w) / 2;
  const top = best === "top" ? a.top - h - GAP : a.bottom + GAP;
  box.style.left = `${clamp(left, MARGIN, width - w - MARGIN)}px`;
  box.style.top = `${clamp(top, MARGIN, height - h - MARGIN)}px`;
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(value, high));
}

/** The trigger with this `data-anchor`. */
function anchorOf(id: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-anchor="${CSS.escape(id)}"]`);
}

/** Shows `box` (a `popover`) in the top layer beside its anchor, and repositions it on scroll and resize. */
function useFloating(anchor: HTMLElement | null, box: RefObject<HTMLElement | null>, { side, align }: Placement): void {
  useLayoutEffect(() => {
    const element = box.current;
    if (!anchor || !element) return;
    element.showPopover();
    const update = () => place(anchor, element, { side, align });
    update();
    const sizes = new ResizeObserver(update);
    sizes.observe(element);
    sizes.observe(anchor);
    // Scrolling inside the box doesn't move it, and measuring would reset its scroll position.
    const onScroll = ({ target }: Event) => {
      if (!(target instanceof Node && element.contains(target))) update();
    };
    window.addEventListener("scroll", onScroll, { capture: true, passive: true });
    window.addEventListener("resize", update);
    return () => {
      sizes.disconnect();
      window.removeEventListener("scroll", onScroll, { capture: true });
      window.removeEventListener("resize", update);
      if (element.isConnected) element.hidePopover();
    };
  }, [anchor, box, side, align]);
}

/** Focuses the box when it opens, and the anchor when it closes with the focus inside. */
function useFloatingFocus(
  anchor: HTMLElement | null,
  box: RefObject<HTMLElement | null>,
  find: (box: HTMLElement) => HTMLElement | null | undefined,
): void {
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    (find(element) ?? element).focus({ preventScroll: true });
    return () => {
      const active = document.activeElement;
      if (!active || active === document.body || element.contains(active)) anchor?.focus({ preventScroll: true });
    };
  }, [anchor, box, find]);
}

/**
 * Parent of a floating box: the modal dialog around its anchor, because anything outside is inert, or the
 * anchor's landmark. It is shown in the top layer in any case.
 */
function floatingRoot(anchor: HTMLElement | null): HTMLElement {
  return anchor?.closest<HTMLElement>("dialog, main, aside") ?? document.body;
}
