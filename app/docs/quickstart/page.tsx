import type { Metadata } from "next";
import { CodeTab, CodeTabs } from "@/components/docs/code-tabs";
import { aboutPage } from "@/components/docs/docs-shell";
import { DocsPage } from "@/components/docs/prose";
import * as quickstart from "@/components/docs/quickstart.mdx";
import { findDemoShop } from "@/lib/http/demo";
import { publicUrls } from "@/lib/http/page";

export const metadata: Metadata = { title: "Quickstart", description: aboutPage("/docs/quickstart") };

export default async function QuickstartPage() {
  const { baseUrl, sandboxBaseUrl, nodeClient } = await publicUrls();
  return (
    <DocsPage
      current="/docs/quickstart"
      page={quickstart}
      baseUrl={sandboxBaseUrl ?? baseUrl}
      nodeClient={nodeClient}
      parts={{ CodeTab, CodeTabs }}
      hasDemo={findDemoShop() !== null}
    />
  );
}
