import type { Metadata } from "next";
import { aboutPage } from "@/components/docs/docs-shell";
import * as goingLive from "@/components/docs/going-live.mdx";
import { DocsPage } from "@/components/docs/prose";

export const metadata: Metadata = { title: "Going live", description: aboutPage("/docs/going-live") };

export default function GoingLivePage() {
  return <DocsPage current="/docs/going-live" page={goingLive} parts={{}} />;
}
