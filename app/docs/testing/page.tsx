import type { Metadata } from "next";
import Link from "next/link";
import { DocsShell, type Section } from "@/components/docs/docs-shell";
import { DataTable } from "@/components/docs/prose";
import { CardTable, FraudRules } from "@/components/docs/testing";
import { AVS_RESULTS, CVV_RESULTS } from "@/lib/contract/payments/words";
import { SANDBOX_AVS } from "@/lib/contract/sandbox-cards";

export const metadata: Metadata = {
  title: "Testing",
  description: "Test cards for every outcome, what the AVS and CVV letters mean, and how the fraud score is made.",
};

const SECTIONS: readonly Section[] = [
  { id: "content", label: "Testing" },
  { id: "approved", label: "Cards: approved" },
  { id: "declined", label: "Cards: declined" },
  { id: "verification", label: "Cards: verification" },
  { id: "fault", label: "Cards: faults" },
  { id: "avs", label: "Address check (AVS)" },
  { id: "cvv", label: "Security code (CVV)" },
  { id: "fraud", label: "Fraud score" },
];

const letters = (table: Record<string, string>) =>
  Object.entries(table).map(([letter, meaning]) => ({
    key: letter,
    cells: [
      <code key="letter" className="font-mono">
        {letter}
      </code>,
      meaning,
    ],
  }));

export default function TestingPage() {
  return (
    <DocsShell current="/docs/testing" sections={SECTIONS}>
      <article className="prose">
        <h1>Testing</h1>
        <p className="lead">
          With a key that starts with <code className="tick">sk_test_</code> you are in the sandbox: everything works as
          live, no money moves, and the card number decides what happens.
        </p>
        <p>
          Use any expiry in the future and any security code: four digits for American Express, three for all others. A
          valid number that is not in these tables is declined with <code className="tick">generic_decline</code>; a
          number with a typing error is refused with{" "}
          <Link href="/docs/errors/invalid_parameter">invalid_parameter</Link>. Never send a real card number to the
          sandbox.
        </p>
        <CardTable group="approved" heading="Approved" about="Each brand has a card that is simply approved." />
        <CardTable
          group="declined"
          heading="Declined"
          about="These answer 402 card_declined with the decline_code, and leave a payment with status DECLINED."
        />
        <CardTable
          group="verification"
          heading="Verification"
          about="3-D Secure, and address and security code checks that do not match."
        />
        <CardTable
          group="fault"
          heading="Faults"
          about="A processor on a bad day. While an outcome is unknown the answer is 202; the same request with the same key ends with the one true result."
        />
        <h2 id="avs">Address check (AVS)</h2>
        <p>The sandbox looks nothing up. It reads what you sent, and the first row that fits decides:</p>
        <DataTable
          caption="How the sandbox checks an address"
          columns={["You send as billing_address", "avs_result"]}
          rows={SANDBOX_AVS.map(({ sent, result }) => ({
            key: sent,
            cells: [
              sent,
              <code key="result" className="font-mono">
                {result}
              </code>,
            ],
          }))}
        />
        <p>The letters are the card networks’. Live processors answer more of them than the sandbox:</p>
        <DataTable caption="AVS results" columns={["avs_result", "Meaning"]} rows={letters(AVS_RESULTS)} />
        <h2 id="cvv">Security code (CVV)</h2>
        <p>In the sandbox every security code matches, but for the cards above that say otherwise.</p>
        <DataTable caption="CVV results" columns={["cvv_result", "Meaning"]} rows={letters(CVV_RESULTS)} />
        <FraudRules />
      </article>
    </DocsShell>
  );
}
