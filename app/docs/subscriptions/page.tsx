import type { Metadata } from "next";
import { aboutPage } from "@/components/docs/docs-shell";
import { DocsPage } from "@/components/docs/prose";
import * as subscriptions from "@/components/docs/subscriptions.mdx";
import { findDemoShop } from "@/lib/http/demo";
import { publicUrls } from "@/lib/http/page";

export const metadata: Metadata = { title: "Subscriptions", description: aboutPage("/docs/subscriptions") };

export default async function SubscriptionsPage() {
  const { baseUrl, sandboxBaseUrl, nodeClient } = await publicUrls();
  return (
    <DocsPage
      current="/docs/subscriptions"
      page={subscriptions}
      baseUrl={sandboxBaseUrl ?? baseUrl}
      nodeClient={nodeClient}
      parts={{}}
      hasDemo={findDemoShop() !== null}
    />
  );
}
