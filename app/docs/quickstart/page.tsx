import type { Metadata } from "next";
import { DocsShell, type Section } from "@/components/docs/docs-shell";
import { FirstSteps } from "@/components/docs/quickstart/first-steps";
import { LastSteps } from "@/components/docs/quickstart/last-steps";
import { findDemoShop } from "@/lib/http/demo";
import { publicUrls } from "@/lib/http/page";

export const metadata: Metadata = {
  title: "Quickstart",
  description:
    "Take a payment in five steps: a key, a session, the form, the payment, the result. With curl, Node or Python.",
};

const SECTIONS: readonly Section[] = [
  { id: "content", label: "Overview" },
  { id: "key", label: "1. Create an API key" },
  { id: "session", label: "2. Create a client session" },
  { id: "mount", label: "3. Mount the form" },
  { id: "pay", label: "4. Process the transaction" },
  { id: "result", label: "5. Handle the result" },
  { id: "next", label: "What next" },
];

export default async function QuickstartPage() {
  const { baseUrl, sandboxBaseUrl } = await publicUrls();
  const sandbox = sandboxBaseUrl ?? baseUrl;
  const hasDemo = findDemoShop() !== null;
  return (
    <DocsShell current="/docs/quickstart" sections={SECTIONS}>
      <article className="prose">
        <h1>Take a payment in five steps</h1>
        <p className="lead">
          In ten minutes you have a shop of your own on your machine that takes card payments in the sandbox. Copy what
          you see: it runs as it is, against <code className="tick">{sandbox}</code>.
        </p>
        <FirstSteps baseUrl={sandbox} hasDemo={hasDemo} />
        <LastSteps baseUrl={sandbox} hasDemo={hasDemo} />
      </article>
    </DocsShell>
  );
}
