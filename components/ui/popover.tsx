"use client";

import { createContext, type ReactNode, use, useId, useMemo, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { type OpenProps, useOpen } from "./hooks";
import { cn } from "./styles";
import { Trigger, type TriggerProps } from "./trigger";
import { type Align, anchorOf, floatingRoot, type Side, useFloating, useFloatingFocus } from "./use-floating";

type PopoverState = { open: boolean; setOpen: (open: boolean) => void; id: string };

const PopoverContext = createContext<PopoverState | null>(null);

function usePopover(): PopoverState {
  const state = use(PopoverContext);
  if (!state) throw new Error("Popover parts stand inside <Popover>");
  return state;
}

/** Something small beside its trigger; Escape or a press elsewhere closes it. */
export function Popover({ children, ...props }: OpenProps & { children: ReactNode }) {
  const [open, setOpen] = useOpen(props);
  const id = useId();
  const state = useMemo(() => ({ open, setOpen, id }), [open, setOpen, id]);
  return <PopoverContext value={state}>{children}</PopoverContext>;
}

export function PopoverTrigger(props: TriggerProps) {
  const { open, setOpen, id } = usePopover();
  // The press that closes the popover is over before the click that would open it again.
  const wasOpen = useRef(false);
  return (
    <Trigger
      {...props}
      attributes={{
        "data-anchor": id,
        "aria-haspopup": "dialog",
        "aria-expanded": open,
        "aria-controls": open ? id : undefined,
        onPointerDown: () => {
          wasOpen.current = open;
        },
        onClick: (event) => setOpen(event.detail > 0 ? !wasOpen.current : !open),
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
  const { setOpen, id } = usePopover();
  const [anchor] = useState(() => anchorOf(id));
  const ref = useRef<HTMLDivElement>(null);
  useFloating(anchor, ref, { side, align });
  useFloatingFocus(anchor, ref, firstWanted);
  return createPortal(
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      ref={ref}
      id={id}
      popover="auto"
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a <dialog> cannot be dismissed lightly everywhere
      role="dialog"
      aria-label={label}
      tabIndex={-1}
      className={cn("floating p-3 text-[13px]", className)}
      onToggle={(event) => {
        if (event.newState === "closed" && event.currentTarget.isConnected) setOpen(false);
      }}
      onClick={(event) => event.stopPropagation()}
      onKeyDown={(event) => {
        if (event.key === "Escape") event.stopPropagation();
      }}
    >
      {children}
    </div>,
    floatingRoot(anchor),
  );
}

const FOCUSABLE = "a[href],button:not(:disabled),input:not(:disabled),select:not(:disabled),textarea:not(:disabled)";

function firstWanted(box: HTMLElement): HTMLElement | null {
  return box.querySelector<HTMLElement>("[data-autofocus]") ?? box.querySelector<HTMLElement>(FOCUSABLE);
}
