import { groupedNumber } from "@/lib/client/grouped-number";
import { SANDBOX_CARDS, type SandboxCard } from "@/lib/contract/sandbox-cards";
import { DataTable } from "../data-table";

const BRAND_NAMES: Record<SandboxCard["brand"], string> = {
  visa: "Visa",
  mastercard: "Mastercard",
  amex: "American Express",
  discover: "Discover",
};

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
