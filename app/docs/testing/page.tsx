import type { Metadata } from "next";
import { aboutPage } from "@/components/docs/docs-shell";
import { DocsPage } from "@/components/docs/prose";
import { AvsResults, CvvResults, FraudRules, SandboxAvs, TestCards } from "@/components/docs/tables";
import * as testing from "@/components/docs/testing.mdx";

export const metadata: Metadata = { title: "Testing", description: aboutPage("/docs/testing") };

const PARTS = { AvsResults, CvvResults, FraudRules, SandboxAvs, TestCards };

export default function TestingPage() {
  return <DocsPage current="/docs/testing" page={testing} parts={PARTS} />;
}
