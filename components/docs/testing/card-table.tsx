import { SANDBOX_CARDS, type SandboxCard } from "@/lib/contract/sandbox-cards";
import { DataTable } from "../data-table";

const BRAND_NAMES: Record<SandboxCard["brand"], string> = {
  visa: "Visa",
  mastercard: "Mastercard",
  amex: "American Express",
  discover: "Discover",
};

/** 4242 4242 4242 4242; American Express 3782 822463 10005. */
function spaced({ number, brand }: SandboxCard): string {
  return brand === "amex"
    ? number.replace(/^(\d{4})(\d{6})(\d{5})$/, "$1 $2 $3")
    : (number.match(/\d{1,4}/g) ?? []).join(" ");
}

type CardTableProps = { group: SandboxCard["group"]; heading: string; about: string };

export function CardTable({ group, heading, about }: CardTableProps) {
  const cards = SANDBOX_CARDS.filter((card) => card.group === group);
  const brands = new Set(cards.map((card) => card.brand));
  const number = (card: SandboxCard) => (
    <code key="number" className="whitespace-nowrap font-mono text-[12.5px]">
      {spaced(card)}
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
