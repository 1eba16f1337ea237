import type { Metadata } from "next";
import { CodeTab, CodeTabs } from "@/components/docs/code-tabs";
import { aboutPage } from "@/components/docs/docs-shell";
import { DocsPage } from "@/components/docs/prose";
import { EventCatalogue } from "@/components/docs/tables";
import * as webhooks from "@/components/docs/webhooks.mdx";
import { publicUrls } from "@/lib/http/page";

export const metadata: Metadata = { title: "Webhooks", description: aboutPage("/docs/webhooks") };

export default async function WebhooksPage() {
  const { baseUrl, sandboxBaseUrl } = await publicUrls();
  return (
    <DocsPage
      current="/docs/webhooks"
      page={webhooks}
      baseUrl={sandboxBaseUrl ?? baseUrl}
      parts={{ CodeTab, CodeTabs, EventCatalogue }}
    />
  );
}
