import type { Metadata } from "next";
import * as changelog from "@/components/docs/changelog.mdx";
import { aboutPage } from "@/components/docs/docs-shell";
import { DocsPage } from "@/components/docs/prose";

export const metadata: Metadata = { title: "Changelog", description: aboutPage("/docs/changelog") };

export default function ChangelogPage() {
  return <DocsPage current="/docs/changelog" page={changelog} parts={{}} />;
}
