"use client";

import { X } from "lucide-react";
import { type ComponentProps, type ReactNode, type RefObject, useEffect, useId, useLayoutEffect, useRef } from "react";
import { createPortal } from "react-dom";
import { useHydrated } from "./hooks";
import { cn } from "./styles";

type ModalProps = Omit<ComponentProps<"dialog">, "open" | "onClose" | "ref"> & {
  /** Called on Escape, a press outside, or the back gesture. */
  onDismiss: () => void;
  /** False if only its buttons may close it; Escape and a press outside do nothing. */
  dismissible?: boolean;
  children: ReactNode;
};

/** The native modal dialog: it traps the focus, makes the rest inert, and returns the focus on close. */
export function Modal(props: ModalProps) {
  return useHydrated() ? <OpenModal {...props} /> : null;
}

function OpenModal({ onDismiss, dismissible = true, children, ...rest }: ModalProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const pressedBeside = useRef(false);
  useModal(ref);
  const dismiss = () => {
    if (dismissible) onDismiss();
  };
  return createPortal(
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <dialog
      {...rest}
      ref={ref}
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        dismiss();
      }}
      onClose={(event) => {
        // The browser may close it despite onCancel, so update the page's state.
        if (event.currentTarget.isConnected && !event.currentTarget.open) onDismiss();
      }}
      onKeyDown={(event) => {
        event.stopPropagation();
        // An open menu or popover inside handles Escape itself.
        if (event.key !== "Escape" || event.currentTarget.querySelector(":popover-open:not([role=tooltip])")) return;
        event.preventDefault();
        dismiss();
      }}
      onPointerDown={(event) => {
        event.stopPropagation();
        pressedBeside.current = event.target === event.currentTarget;
      }}
      onClick={(event) => {
        event.stopPropagation();
        if (event.target === event.currentTarget && pressedBeside.current) dismiss();
      }}
    >
      {children}
    </dialog>,
    document.body,
  );
}

const WANTED = [
  "[data-autofocus]",
  "[data-modal-body] :is(input:not([type=checkbox],[type=radio],[type=hidden]),select,textarea):not(:disabled)",
];

function useModal(ref: RefObject<HTMLDialogElement | null>): void {
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (!dialog) return;
    const around = withAncestors(document.activeElement);
    const unlock = lockPage();
    dialog.showModal();
    const wanted = WANTED.map((selector) => dialog.querySelector<HTMLElement>(selector)).find(Boolean);
    (wanted ?? dialog).focus({ preventScroll: true });
    return () => {
      dialog.close();
      unlock();
      returnFocus(around);
    };
  }, [ref]);
}

function withAncestors(element: Element | null): Element[] {
  const all: Element[] = [];
  for (let at = element; at && at !== document.body; at = at.parentElement) all.push(at);
  return all;
}

/**
 * Returns the focus to its previous element, or if that is gone, disabled or hidden, to the closest focusable
 * ancestor.
 */
function returnFocus(around: readonly Element[]): void {
  around
    .flatMap((element, i) => (i ? [...element.querySelectorAll("a[href],button")] : element))
    .find((element) => {
      (element as HTMLElement).focus({ preventScroll: true });
      return element === document.activeElement;
    });
}

/** Stops the page behind from scrolling (floating.css), and keeps the space of its scroll bar. */
function lockPage(): () => void {
  const { style, scrollHeight, clientHeight } = document.documentElement;
  if (scrollHeight <= clientHeight) return () => {};
  const before = style.scrollbarGutter;
  style.scrollbarGutter = "stable";
  return () => {
    style.scrollbarGutter = before;
  };
}

type SheetProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  /** Buttons beside the close button. */
  actions?: ReactNode;
  footer?: ReactNode;
  side?: "left" | "right" | "bottom";
  /** False keeps the page beside it usable, as for a list next to its detail. */
  modal?: boolean;
  /** Without padding, for content that reaches the edges. */
  flush?: boolean;
  className?: string;
  children: ReactNode;
};

/** A panel at the side of the window. */
export function Sheet({ modal = true, ...props }: SheetProps) {
  const hydrated = useHydrated();
  if (!props.open || !hydrated) return null;
  return modal ? <ModalSheet {...props} /> : <PlainSheet {...props} />;
}

const SIDES = {
  left: "modal-left border-r",
  right: "modal-right border-l",
  bottom: "modal-bottom border-t",
};

function ModalSheet({ side = "right", className, onOpenChange, ...rest }: SheetProps) {
  const id = useId();
  return (
    <Modal
      onDismiss={() => onOpenChange(false)}
      aria-labelledby={id}
      className={cn("modal modal-side", SIDES[side], className)}
    >
      <SheetContent titleId={id} onClose={() => onOpenChange(false)} {...rest} />
    </Modal>
  );
}

function PlainSheet({ side = "right", className, onOpenChange, ...rest }: SheetProps) {
  const id = useId();
  const ref = useRef<HTMLElement>(null);
  useEffect(() => {
    ref.current?.focus({ preventScroll: true });
  }, []);
  return createPortal(
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <aside
      ref={ref}
      aria-labelledby={id}
      tabIndex={-1}
      className={cn("sheet-plain modal-side", SIDES[side], className)}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented) return;
        event.preventDefault();
        onOpenChange(false);
      }}
    >
      <SheetContent titleId={id} onClose={() => onOpenChange(false)} {...rest} />
    </aside>,
    document.body,
  );
}

type SheetContentProps = Pick<SheetProps, "title" | "actions" | "footer" | "flush" | "children"> & {
  titleId: string;
  onClose: () => void;
};

function SheetContent({ titleId, title, actions, footer, flush = false, onClose, children }: SheetContentProps) {
  return (
    <div className="flex h-full max-h-[inherit] min-h-0 flex-col">
      {/* No header or footer elements: in a dialog those would be the page's. */}
      <div className="flex min-h-12 items-center gap-2 border-b px-5 py-2">
        <h2 id={titleId} className="min-w-0 flex-1 truncate font-semibold text-[15px]">
          {title}
        </h2>
        {actions}
        <button type="button" className="button button-ghost button-icon -mr-2" aria-label="Close" onClick={onClose}>
          <X aria-hidden="true" />
        </button>
      </div>
      <div
        data-modal-body
        className={cn("min-h-0 flex-1 overflow-y-auto overscroll-contain text-[13px]", !flush && "p-5")}
      >
        {children}
      </div>
      {footer && <div className="flex flex-wrap justify-end gap-2 border-t px-5 py-3">{footer}</div>}
    </div>
  );
}
