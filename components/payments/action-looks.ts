import { Ban, Download, Undo2 } from "lucide-react";

/** Label and icon of each action on a payment. Apart from its buttons, which the list loads only with a panel. */
export const ACTION_LOOKS = {
  capture: { label: "Capture", icon: Download },
  void: { label: "Void", icon: Ban },
  refund: { label: "Refund", icon: Undo2 },
} as const;
