"use client";

import { ThemeProvider as NextThemes } from "next-themes";
import { type ReactNode, useState } from "react";

/** Light, dark or as the system says. A small script sets it before the first paint, so that nothing flashes. */
export function ThemeProvider({ nonce, children }: { nonce: string; children: ReactNode }) {
  // The document keeps the policy that it came with; whatever is rendered later has another nonce.
  const [first] = useState(nonce);
  return (
    <NextThemes attribute="data-theme" defaultTheme="system" disableTransitionOnChange nonce={first}>
      {children}
    </NextThemes>
  );
}

/** The choices, as the user menu and the palette offer them. */
export const THEMES = [
  { value: "system", label: "System" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
] as const;
