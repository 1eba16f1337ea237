import type { Metadata } from "next";
import { aboutPage } from "@/components/docs/docs-shell";
import * as errors from "@/components/docs/errors.mdx";
import { DocsPage } from "@/components/docs/prose";
import { DeclineCodes, ErrorCodes } from "@/components/docs/tables";

export const metadata: Metadata = { title: "Errors", description: aboutPage("/docs/errors") };

export default function ErrorsPage() {
  return <DocsPage current="/docs/errors" page={errors} parts={{ DeclineCodes, ErrorCodes }} />;
}
