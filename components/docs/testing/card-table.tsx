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
  return (
    <section className="space-y-3">
      <h2 id={group}>{heading}</h2>
      <p>{about}</p>
      <DataTable
        caption={`Test cards: ${heading}`}
        columns={["Number", "Brand", "What happens"]}
        rows={SANDBOX_CARDS.filter((card) => card.group === group).map((card) => ({
          key: card.number,
          cells: [
            <code key="number" className="whitespace-nowrap font-mono text-[12.5px]">
              {spaced(card)}
            </code>,
            <span key="brand" className="whitespace-nowrap">
              {BRAND_NAMES[card.brand]}
            </span>,
            card.effect,
          ],
        }))}
      />
    </section>
  );
}
