import { type RefObject, useLayoutEffect } from "react";

export type Side = "top" | "bottom" | "left" | "right";
export type Align = "start" | "center" | "end";
type Placement = { side: Side; align: Align };

const GAP = 4;
const MARGIN = 8;

/** Puts `box` beside `anchor` within the window: on the other side, or pushed in, where it would stick out. */
function place(anchor: HTMLElement, box: HTMLElement, { side, align }: Placement): void {
  box.style.maxHeight = "";
  const a = anchor.getBoundingClientRect();
  const { clientWidth: width, clientHeight: height } = document.documentElement;
  const room = { top: a.top, bottom: height - a.bottom, left: a.left, right: width - a.right };
  const opposite = { top: "bottom", bottom: "top", left: "right", right: "left" } as const;
  const vertical = side === "top" || side === "bottom";
  const needed = (vertical ? box.offsetHeight : box.offsetWidth) + GAP + MARGIN;
  const best = room[side] >= needed || room[opposite[side]] <= room[side] ? side : opposite[side];
  if (vertical) box.style.maxHeight = `${Math.max(room[best] - GAP - MARGIN, 96)}px`;
  const { offsetWidth: w, offsetHeight: h } = box;
  const along = (start: number, length: number, size: number) =>
    align === "start" ? start : align === "end" ? start + length - size : start + (length - size) / 2;
  const left = vertical ? along(a.left, a.width, w) : best === "left" ? a.left - w - GAP : a.right + GAP;
  const top = vertical ? (best === "top" ? a.top - h - GAP : a.bottom + GAP) : along(a.top, a.height, h);
  box.style.left = `${clamp(left, MARGIN, width - w - MARGIN)}px`;
  box.style.top = `${clamp(top, MARGIN, height - h - MARGIN)}px`;
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(value, high));
}

/** The trigger with this `data-anchor`. */
export function anchorOf(id: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-anchor="${CSS.escape(id)}"]`);
}

/** Shows `box` (a `popover`) in the top layer beside its anchor and keeps it there while things scroll or change size. */
export function useFloating(
  anchor: HTMLElement | null,
  box: RefObject<HTMLElement | null>,
  { side, align }: Placement,
): void {
  useLayoutEffect(() => {
    const element = box.current;
    if (!anchor || !element) return;
    element.showPopover();
    const update = () => place(anchor, element, { side, align });
    update();
    const sizes = new ResizeObserver(update);
    sizes.observe(element);
    sizes.observe(anchor);
    window.addEventListener("scroll", update, { capture: true, passive: true });
    window.addEventListener("resize", update);
    return () => {
      sizes.disconnect();
      window.removeEventListener("scroll", update, { capture: true });
      window.removeEventListener("resize", update);
      if (element.isConnected) element.hidePopover();
    };
  }, [anchor, box, side, align]);
}

/** Moves the focus in when it opens, and back to the anchor if it is still inside when it closes. */
export function useFloatingFocus(
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
 * Where a floating thing goes in the document: within the modal dialog around its anchor, else it would be inert, or
 * within its landmark, so that it can be found there. It is shown in the top layer in any case.
 */
export function floatingRoot(anchor: HTMLElement | null): HTMLElement {
  return anchor?.closest<HTMLElement>("dialog, main, aside") ?? document.body;
}
