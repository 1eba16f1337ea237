import type { Metadata } from "next";
import Link from "next/link";
import { ErrorSection } from "@/components/docs/checkout/error-section";
import { LooksSection } from "@/components/docs/checkout/looks-section";
import { SafetySection } from "@/components/docs/checkout/safety-section";
import { ScriptSection } from "@/components/docs/checkout/script-section";
import { WaysSection } from "@/components/docs/checkout/ways-section";
import { DocsShell, type Section } from "@/components/docs/docs-shell";
import { findDemoShop } from "@/lib/http/demo";
import { publicUrls } from "@/lib/http/page";

export const metadata: Metadata = {
  title: "Checkout",
  description:
    "The payment form in your page: script, options, callbacks, errors, looks, languages, payment links, card tokens.",
};

const SECTIONS: readonly Section[] = [
  { id: "content", label: "Overview" },
  { id: "script", label: "The script" },
  { id: "mount", label: "Mount" },
  { id: "options", label: "Options", level: 2 },
  { id: "callbacks", label: "Callbacks", level: 2 },
  { id: "methods", label: "Methods", level: 2 },
  { id: "your-button", label: "Your own button", level: 2 },
  { id: "token", label: "The token" },
  { id: "origins", label: "Pages that may show it" },
  { id: "errors", label: "Errors" },
  { id: "appearance", label: "Appearance" },
  { id: "languages", label: "Languages" },
  { id: "payment-links", label: "Payment links" },
  { id: "tokenize", label: "Card tokens" },
  { id: "react", label: "React" },
  { id: "typescript", label: "TypeScript" },
  { id: "three-d-secure", label: "3-D Secure" },
  { id: "limits", label: "Attempts and limits" },
  { id: "csp", label: "Content-Security-Policy" },
  { id: "security", label: "Security" },
  { id: "testing", label: "Testing" },
];

export default async function CheckoutDocsPage() {
  const { baseUrl, sandboxBaseUrl } = await publicUrls();
  const sandbox = sandboxBaseUrl ?? baseUrl;
  return (
    <DocsShell current="/docs/checkout" sections={SECTIONS}>
      <article className="prose">
        <h1>Checkout</h1>
        <p className="lead">
          The payment form: a frame of Cardlane’s in your page. It takes the card, speaks the shopper’s language, asks
          the bank, and tells your page what happened. New here? The <Link href="/docs/quickstart">quickstart</Link> has
          a shop to copy.
        </p>
        <ScriptSection baseUrl={sandbox} />
        <ErrorSection />
        <LooksSection />
        <WaysSection baseUrl={sandbox} />
        <SafetySection baseUrl={sandbox} hasDemo={findDemoShop() !== null} />
      </article>
    </DocsShell>
  );
}
