import type { Metadata } from "next";
import * as disputes from "@/components/docs/disputes.mdx";
import { aboutPage } from "@/components/docs/docs-shell";
import { DocsPage } from "@/components/docs/prose";
import { findDemoShop } from "@/lib/http/demo";
import { publicUrls } from "@/lib/http/page";

export const metadata: Metadata = { title: "Disputes", description: aboutPage("/docs/disputes") };

export default async function DisputesPage() {
  const { baseUrl, sandboxBaseUrl, nodeClient } = await publicUrls();
  return (
    <DocsPage
      current="/docs/disputes"
      page={disputes}
      baseUrl={sandboxBaseUrl ?? baseUrl}
      nodeClient={nodeClient}
      parts={{}}
      hasDemo={findDemoShop() !== null}
    />
  );
}
