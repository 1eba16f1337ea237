"use client";

import { createContext, type ReactNode, type RefObject, use, useId, useLayoutEffect, useMemo, useRef } from "react";
import { createPortal } from "react-dom";
import { cn } from "./class-names";
import { Trigger } from "./trigger";
import { type Align, floatingRoot, type Side, useFloating } from "./use-floating";
import { type OpenProps, useOpen } from "./use-open";

type PopoverState = {
  open: boolean;
  setOpen: (open: boolean) => void;
  anchor: RefObject<HTMLElement | null>;
  id: string;
};

const PopoverContext = createContext<PopoverState | null>(null);

function usePopover(): PopoverState {
  const state = use(PopoverContext);
  if (!state) throw new Error("Popover parts stand inside <Popover>");
  return state;
}

/** Something small beside its trigger; Escape or a press elsewhere closes it. */
export function Popover({ children, ...props }: OpenProps & { children: ReactNode }) {
  const [open, setOpen] = useOpen(props);
  const anchor = useRef<HTMLElement>(null);
  const id = useId();
  const state = useMemo(() => ({ open, setOpen, anchor, id }), [open, setOpen, id]);
  return <PopoverContext value={state}>{children}</PopoverContext>;
}

type PopoverTriggerProps = { asChild?: boolean; className?: string; children: ReactNode };

export function PopoverTrigger(props: PopoverTriggerProps) {
  const { open, setOpen, anchor, id } = usePopover();
  // The press that closes the popover is over before the click that would open it again.
  const wasOpen = useRef(false);
  return (
    <Trigger
      {...props}
      attributes={{
        ref: anchor,
        "aria-haspopup": "dialog",
        "aria-expanded": open,
        "aria-controls": open ? id : undefined,
        onPointerDown: () => {
          wasOpen.current = open;
        },
        onClick: (event) => {
          setOpen(event.detail > 0 ? !wasOpen.current : !open);
        },
      }}
    />
  );
}

type PopoverContentProps = {
  /** Its name, read aloud. */
  label?: string;
  side?: Side;
  align?: Align;
  className?: string;
  children: ReactNode;
};

export function PopoverContent(props: PopoverContentProps) {
  return usePopover().open ? <OpenPopover {...props} /> : null;
}

function OpenPopover({ label, side = "bottom", align = "start", className, children }: PopoverContentProps) {
  const { setOpen, anchor, id } = usePopover();
  const ref = useRef<HTMLDivElement>(null);
  useFloating(anchor, ref, { side, align });
  useFocusWithin(ref, anchor);
  return createPortal(
    // biome-ignore lint/a11y/noStaticElementInteractions: keeps what happens inside from what stands around the trigger
    <div
      ref={ref}
      id={id}
      popover="auto"
      role="dialog"
      aria-label={label}
      tabIndex={-1}
      className={cn("floating p-3 text-[13px]", className)}
      onToggle={(event) => {
        if (event.newState === "closed" && event.currentTarget.isConnected) setOpen(false);
      }}
      onClick={(event) => event.stopPropagation()}
    >
      {children}
    </div>,
    floatingRoot(anchor.current),
  );
}

/** Moves the focus in on opening, and back to the trigger if it is still inside on closing. */
function useFocusWithin(ref: RefObject<HTMLElement | null>, anchor: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const [box, trigger] = [ref.current, anchor.current];
    const wanted = box?.querySelector<HTMLElement>("[data-autofocus]") ?? box?.querySelector<HTMLElement>(FOCUSABLE);
    (wanted ?? box)?.focus({ preventScroll: true });
    return () => {
      const active = document.activeElement;
      if (!active || active === document.body || box?.contains(active)) trigger?.focus({ preventScroll: true });
    };
  }, [ref, anchor]);
}

const FOCUSABLE = "a[href],button:not(:disabled),input:not(:disabled),select:not(:disabled),textarea:not(:disabled)";
