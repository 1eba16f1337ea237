"use client";

import { usePathname } from "next/navigation";
import { useEffect } from "react";

const WAIT_MS = 500;

/** A navigation in Next can lose the title. Without one for `WAIT_MS`, the page's heading takes its place. */
export function KeepTitle() {
  const pathname = usePathname();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each page has a heading of its own
  useEffect(() => {
    let own: Element | null = null;
    let timer: ReturnType<typeof setTimeout>;
    function look(): void {
      clearTimeout(timer);
      const titles = document.head.querySelectorAll("title");
      if (titles.length > 1) own?.remove();
      if (document.title === "") timer = setTimeout(restore, WAIT_MS);
    }
    function restore(): void {
      const isGone = document.head.querySelector("title") === null;
      const heading = document.querySelector("h1")?.textContent;
      if (heading) document.title = `${heading} · Cardlane`;
      else look();
      if (isGone) own = document.head.querySelector("title");
    }
    const observer = new MutationObserver(look);
    observer.observe(document.head, { childList: true, subtree: true, characterData: true });
    look();
    return () => {
      observer.disconnect();
      clearTimeout(timer);
      own?.remove();
    };
  }, [pathname]);
  return null;
}
