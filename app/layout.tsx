import { GeistMono } from "geist/font/mono";
import { GeistSans } from "geist/font/sans";
import type { Metadata, Viewport } from "next";
import { headers } from "next/headers";
import type { ReactNode } from "react";
import { ThemeProvider } from "@/components/shell/theme";
import { COLORS } from "@/lib/contract/brand";
import { NONCE_HEADER } from "@/lib/http/security-headers";
import "./globals.css";

export const metadata: Metadata = {
  title: { default: "Cardlane", template: "%s · Cardlane" },
  description: "Card payments over a plain HTTP API: create, capture, void, refund and search.",
  icons: { icon: "/favicon.svg" },
};

export const viewport: Viewport = {
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: COLORS.ground[0] },
    { media: "(prefers-color-scheme: dark)", color: COLORS.ground[1] },
  ],
};

/**
 * Reads a header so that no page is rendered at build time, when neither the nonce nor the service's
 * addresses are known.
 */
export default async function RootLayout({ children }: { children: ReactNode }) {
  const nonce = (await headers()).get(NONCE_HEADER) ?? "";
  return (
    <html
      lang="en"
      className={`${GeistSans.variable} ${GeistMono.variable}`}
      data-scroll-behavior="smooth"
      // The theme is set before hydration.
      suppressHydrationWarning
    >
      <body className="font-sans">
        <ThemeProvider nonce={nonce}>{children}</ThemeProvider>
      </body>
    </html>
  );
}
