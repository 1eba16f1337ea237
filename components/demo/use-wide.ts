import { useSyncExternalStore } from "react";

const subscribeTo = (query: string) => (listener: () => void) => {
  const list = window.matchMedia(query);
  list.addEventListener("change", listener);
  return () => list.removeEventListener("change", listener);
};

const WIDE = "(width >= 64rem)";
const DARK = "(prefers-color-scheme: dark)";
const subscribeWide = subscribeTo(WIDE);

/** True if the drawer fits beside the page. */
export function useIsWide(): boolean {
  return useSyncExternalStore(
    subscribeWide,
    () => window.matchMedia(WIDE).matches,
    () => true,
  );
}

/** The scheme of the page: the user's choice or the system's. */
export function useScheme(): "light" | "dark" {
  return useSyncExternalStore(
    subscribeScheme,
    () => {
      const chosen = document.documentElement.dataset.theme;
      if (chosen === "light" || chosen === "dark") return chosen;
      return window.matchMedia(DARK).matches ? "dark" : "light";
    },
    () => "light",
  );
}

const subscribeSystem = subscribeTo(DARK);

function subscribeScheme(listener: () => void): () => void {
  const stop = subscribeSystem(listener);
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => {
    stop();
    observer.disconnect();
  };
}
