import type { Metadata } from "next";
import { aboutPage } from "@/components/docs/docs-shell";
import * as goingLive from "@/components/docs/going-live.mdx";
import { DocsPage } from "@/components/docs/prose";
import { publicUrls } from "@/lib/http/page";

export const metadata: Metadata = { title: "Going live", description: aboutPage("/docs/going-live") };

export default async function GoingLivePage() {
  const { baseUrl, sandboxBaseUrl } = await publicUrls();
  return <DocsPage current="/docs/going-live" page={goingLive} baseUrl={sandboxBaseUrl ?? baseUrl} parts={{}} />;
}
