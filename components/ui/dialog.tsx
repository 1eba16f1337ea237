"use client";

import { X } from "lucide-react";
import { type ReactNode, useId } from "react";
import { Modal } from "./modal";
import { cn } from "./styles";

type DialogProps = {
  title: ReactNode;
  description?: ReactNode;
  footer?: ReactNode;
  size?: "sm" | "md" | "lg";
  /** False if only its buttons may close it, for confirmations and work in progress. */
  dismissible?: boolean;
  onClose: () => void;
  children?: ReactNode;
};

const SIZES = { sm: "max-w-sm", md: "max-w-lg", lg: "max-w-3xl" };

/**
 * Render it only while open. Focus goes to `[data-autofocus]`, or else the first field, or else the dialog.
 */
export function Dialog({
  title,
  description,
  footer,
  size = "md",
  dismissible = true,
  onClose,
  children,
}: DialogProps) {
  const id = useId();
  return (
    <Modal
      onDismiss={onClose}
      dismissible={dismissible}
      aria-labelledby={`${id}-title`}
      aria-describedby={description ? `${id}-description` : undefined}
      className={cn("modal modal-center", SIZES[size])}
    >
      <div className="modal-frame">
        <header className="flex items-start gap-4 px-5 pt-4 pb-3">
          <div className="min-w-0 flex-1">
            <h2 id={`${id}-title`} className="font-semibold text-[15px] leading-6">
              {title}
            </h2>
            {description && (
              <div id={`${id}-description`} className="mt-0.5 text-[13px] text-soft">
                {description}
              </div>
            )}
          </div>
          {dismissible && (
            <button
              type="button"
              className="button button-ghost button-icon -mr-2"
              aria-label="Close"
              onClick={onClose}
            >
              <X aria-hidden="true" />
            </button>
          )}
        </header>
        <div data-modal-body className="min-h-0 flex-1 overflow-y-auto px-5 pb-5 text-[13px]">
          {children}
        </div>
        {footer && (
          <footer className="flex flex-wrap justify-end gap-2 border-t px-5 py-3 max-sm:[&>*]:flex-1">{footer}</footer>
        )}
      </div>
    </Modal>
  );
}
