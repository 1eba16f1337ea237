import { useCallback, useState } from "react";

export type OpenProps = {
  /** Controlled. */
  open?: boolean;
  defaultOpen?: boolean;
  onOpenChange?: (open: boolean) => void;
};

/** Whether something is open: the caller's business if it says so, else its own. */
export function useOpen({ open, defaultOpen = false, onOpenChange }: OpenProps): [boolean, (open: boolean) => void] {
  const [own, setOwn] = useState(defaultOpen);
  const set = useCallback(
    (next: boolean) => {
      setOwn(next);
      onOpenChange?.(next);
    },
    [onOpenChange],
  );
  return [open ?? own, set];
}
