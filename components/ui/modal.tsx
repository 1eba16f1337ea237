"use client";

import { type ComponentProps, type ReactNode, type RefObject, useLayoutEffect, useRef } from "react";
import { createPortal } from "react-dom";
import { useHydrated } from "./hooks";

type ModalProps = Omit<ComponentProps<"dialog">, "open" | "onClose" | "ref"> & {
  /** Asked to close by Escape, a press beside it, or the back gesture. */
  onDismiss: () => void;
  /** False: Escape and a press beside it do nothing, a button inside must close it. */
  dismissible?: boolean;
  children: ReactNode;
};

/** The browser's own modal dialog: focus stays inside, the rest is inert, and the focus returns when it goes. */
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
        // The browser may close it in spite of onCancel; the page's state then follows.
        if (event.currentTarget.isConnected && !event.currentTarget.open) onDismiss();
      }}
      onKeyDown={(event) => {
        event.stopPropagation();
        // An open menu or popover inside takes the Escape itself.
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
    const before = document.activeElement;
    const unlock = lockPage();
    dialog.showModal();
    const wanted = WANTED.map((selector) => dialog.querySelector<HTMLElement>(selector)).find(Boolean);
    (wanted ?? dialog).focus({ preventScroll: true });
    return () => {
      dialog.close();
      unlock();
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, [ref]);
}

/** The page behind does not scroll (floating.css); where it could, the room of its scroll bar is kept. */
function lockPage(): () => void {
  const { style, scrollHeight, clientHeight } = document.documentElement;
  if (scrollHeight <= clientHeight) return () => {};
  const before = style.scrollbarGutter;
  style.scrollbarGutter = "stable";
  return () => {
    style.scrollbarGutter = before;
  };
}
