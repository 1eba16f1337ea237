import { type RefObject, useLayoutEffect } from "react";

export type Side = "top" | "bottom" | "left" | "right";
export type Align = "start" | "center" | "end";
export type Placement = { side: Side; align: Align };

const GAP = 4;
const MARGIN = 8;

/** Puts `box` beside `anchor` within the window: on the other side, or pushed in, where it would stick out. */
export function place(anchor: HTMLElement, box: HTMLElement, { side, align }: Placement): void {
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

/** Shows `box` (a `popover`) in the top layer beside `anchor` and keeps it there while things scroll or change size. */
export function useFloating(
  anchor: RefObject<HTMLElement | null>,
  box: RefObject<HTMLElement | null>,
  { side, align }: Placement,
): void {
  useLayoutEffect(() => {
    const [from, element] = [anchor.current, box.current];
    if (!from || !element) return;
    element.showPopover();
    const update = () => {
      element.style.maxHeight = "";
      place(from, element, { side, align });
    };
    update();
    const sizes = new ResizeObserver(update);
    sizes.observe(element);
    sizes.observe(from);
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

/** Where a floating thing goes in the document: within the modal dialog around its anchor, else it would be inert. */
export function floatingRoot(anchor: HTMLElement | null): HTMLElement {
  return anchor?.closest("dialog") ?? document.body;
}
