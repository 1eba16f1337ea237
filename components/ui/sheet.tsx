"use client";

import { X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { createPortal } from "react-dom";
import { useHydrated } from "./hooks";
import { Modal } from "./modal";
import { cn } from "./styles";

type SheetProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  /** The title is read aloud, but not shown. */
  hideTitle?: boolean;
  description?: ReactNode;
  /** Beside the close button. */
  actions?: ReactNode;
  footer?: ReactNode;
  side?: "left" | "right" | "bottom";
  /** False: the page beside it stays usable, as for a list with its detail. */
  modal?: boolean;
  /** Non-modal only: false leaves the focus where it is, as when arrow keys walk a list beside it. */
  takesFocus?: boolean;
  /** Without padding, for what reaches the edges. */
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

function PlainSheet({ side = "right", className, takesFocus = true, onOpenChange, ...rest }: SheetProps) {
  const id = useId();
  const ref = useRef<HTMLElement>(null);
  useEffect(() => {
    if (takesFocus) ref.current?.focus({ preventScroll: true });
  }, [takesFocus]);
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

type SheetContentProps = Pick<
  SheetProps,
  "title" | "hideTitle" | "description" | "actions" | "footer" | "flush" | "children"
> & {
  titleId: string;
  onClose: () => void;
};

function SheetContent({
  titleId,
  title,
  hideTitle,
  description,
  actions,
  footer,
  flush = false,
  onClose,
  children,
}: SheetContentProps) {
  return (
    <div className="flex h-full max-h-[inherit] min-h-0 flex-col">
      {/* No header or footer: in a dialog those would be the page's. */}
      <div className={cn("flex min-h-12 items-center gap-2 px-5 py-2", !hideTitle && "border-b")}>
        <div className="min-w-0 flex-1">
          <h2 id={titleId} className={hideTitle ? "sr-only" : "truncate font-semibold text-[15px]"}>
            {title}
          </h2>
          {description && <div className="text-[13px] text-soft">{description}</div>}
        </div>
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
