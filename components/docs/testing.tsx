import { BRAND_NAMES, groupedNumber } from "@/lib/contract/format";
import {
  FRAUD_DECLINE_SCORE,
  FRAUD_RULES,
  FRAUD_RULES_CAP,
  SANDBOX_CARDS,
  type SandboxCard,
} from "@/lib/contract/sandbox-cards";
import { DataTable } from "./prose";

type CardTableProps = { group: SandboxCard["group"]; heading: string; about: string };

export function CardTable({ group, heading, about }: CardTableProps) {
  const cards = SANDBOX_CARDS.filter((card) => card.group === group);
  const brands = new Set(cards.map((card) => card.brand));
  const number = (card: SandboxCard) => (
    <code key="number" className="whitespace-nowrap font-mono text-[12.5px]">
      {groupedNumber(card.number)}
    </code>
  );
  return (
    <section className="space-y-3">
      <h2 id={group}>{heading}</h2>
      <p>
        {about} {brands.size === 1 && [...brands].map((brand) => `All of these are ${BRAND_NAMES[brand]} cards.`)}
      </p>
      <DataTable
        caption={`Test cards: ${heading}`}
        columns={["Number", brands.size === 1 ? "What happens" : "Brand"]}
        rows={cards.map((card) => ({
          key: card.number,
          cells: [number(card), brands.size === 1 ? card.effect : BRAND_NAMES[card.brand]],
        }))}
      />
    </section>
  );
}

export function FraudRules() {
  return (
    <>
      <h2 id="fraud">Fraud score</h2>
      <p>
        <code className="tick">fraud_score</code> goes from 0 to 100. In the sandbox it is the sum of the points of the
        rules that apply; of two rules about the same thing only the stronger counts. From {FRAUD_DECLINE_SCORE} on the
        card is declined with <code className="tick">fraud_suspected</code>.
      </p>
      <DataTable
        caption="Rules of the fraud score"
        columns={["Points", "When"]}
        rows={FRAUD_RULES.map(({ id, points, reason }) => ({
          key: id,
          cells: [
            <span key="points" className="font-mono">
              {points}
            </span>,
            reason,
          ],
        }))}
      />
      <p>
        Without the first rule the score never goes above {FRAUD_RULES_CAP}, so ordinary traffic raises it but declines
        nothing. Amounts are compared once there is some history.
      </p>
    </>
  );
}
