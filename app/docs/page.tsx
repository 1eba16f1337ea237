import type { Metadata } from "next";
import { CodeTab, CodeTabs } from "@/components/docs/code-tabs";
import { aboutPage } from "@/components/docs/docs-shell";
import * as guide from "@/components/docs/guide.mdx";
import { DocsPage } from "@/components/docs/prose";
import { guideParts } from "@/components/docs/tables";
import { errorExample } from "@/lib/http/openapi-schemas";
import { publicUrls } from "@/lib/http/page";

export const metadata: Metadata = { title: "Guide", description: aboutPage("/docs") };

export default async function GuidePage() {
  const urls = await publicUrls();
  const problem = errorExample("card_declined", `${urls.baseUrl}/docs`).value;
  return (
    <DocsPage
      current="/docs"
      page={guide}
      baseUrl={urls.sandboxBaseUrl ?? urls.baseUrl}
      nodeClient={urls.nodeClient}
      parts={{ ...guideParts(urls, problem), CodeTab, CodeTabs }}
    />
  );
}
