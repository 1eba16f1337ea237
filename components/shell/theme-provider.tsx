"use client";

import { ThemeProvider as NextThemes } from "next-themes";
import type { ReactNode } from "react";

/** Light, dark or as the system says. A small script sets it before the first paint, so that nothing flashes. */
export function ThemeProvider({ children }: { children: ReactNode }) {
  return (
    <NextThemes attribute="data-theme" defaultTheme="system" disableTransitionOnChange>
      {children}
    </NextThemes>
  );
}
