import type { Metadata } from "next";
import * as checkout from "@/components/docs/checkout.mdx";
import { aboutPage } from "@/components/docs/docs-shell";
import { DocsPage } from "@/components/docs/prose";
import { FormErrors, Languages, Presets } from "@/components/docs/tables";
import { findDemoShop } from "@/lib/http/demo";
import { publicUrls } from "@/lib/http/page";

export const metadata: Metadata = { title: "Checkout", description: aboutPage("/docs/checkout") };

export default async function CheckoutDocsPage() {
  const { baseUrl, sandboxBaseUrl } = await publicUrls();
  return (
    <DocsPage
      current="/docs/checkout"
      page={checkout}
      baseUrl={sandboxBaseUrl ?? baseUrl}
      parts={{ FormErrors, Languages, Presets }}
      hasDemo={findDemoShop() !== null}
    />
  );
}
