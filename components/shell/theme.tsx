"use client";

import { ThemeProvider as NextThemes } from "next-themes";
import { type ReactNode, useState } from "react";

/**
 * Light, dark or the system's scheme, set by an inline script before the first paint. Public pages have no
 * nonce: "".
 */
export function ThemeProvider({ nonce, children }: { nonce: string; children: ReactNode }) {
  // The document keeps its first policy, while later renders have other nonces.
  const [first] = useState(nonce);
  return (
    <NextThemes
      attribute="data-theme"
      defaultTheme="system"
      {...(first !== "" && { nonce: first, disableTransitionOnChange: true })}
    >
      {children}
    </NextThemes>
  );
}

/** Choices of the user menu and the palette. */
export const THEMES = [
  { value: "system", label: "System" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
] as const;
