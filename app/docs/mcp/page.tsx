import type { Metadata } from "next";
import * as mcp from "@/components/docs/mcp.mdx";
import { DocsPage } from "@/components/docs/prose";
import { publicUrls } from "@/lib/http/page";

export const metadata: Metadata = {
  title: "AI assistants (MCP)",
  description:
    "Connect an AI assistant to Cardlane: what it can do, what it asks you to confirm, and what it never does.",
};

export default async function McpPage() {
  const { baseUrl, sandboxBaseUrl } = await publicUrls();
  return <DocsPage current="/docs/mcp" page={mcp} baseUrl={sandboxBaseUrl ?? baseUrl} parts={{}} />;
}
