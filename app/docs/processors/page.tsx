import type { Metadata } from "next";
import { aboutPage } from "@/components/docs/docs-shell";
import * as processors from "@/components/docs/processors.mdx";
import { DocsPage } from "@/components/docs/prose";
import { publicUrls } from "@/lib/http/page";

export const metadata: Metadata = { title: "Processors", description: aboutPage("/docs/processors") };

export default async function ProcessorsPage() {
  const { baseUrl, sandboxBaseUrl } = await publicUrls();
  return <DocsPage current="/docs/processors" page={processors} baseUrl={sandboxBaseUrl ?? baseUrl} parts={{}} />;
}
