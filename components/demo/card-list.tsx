"use client";

import { Check, Copy } from "lucide-react";
import { useCopied } from "@/components/ui/use-copied";
import { groupedNumber } from "@/lib/client/grouped-number";
import { SANDBOX_CARDS, type SandboxCard } from "@/lib/contract/sandbox-cards";

const GROUPS: readonly { group: SandboxCard["group"]; title: string }[] = [
  { group: "approved", title: "Approved" },
  { group: "declined", title: "Declined" },
  { group: "verification", title: "Verification" },
  { group: "fault", title: "A processor on a bad day" },
];

const BRANDS: Record<SandboxCard["brand"], string> = {
  visa: "Visa",
  mastercard: "Mastercard",
  amex: "American Express",
  discover: "Discover",
};

/** Every test card of the sandbox, with a button that copies its number. */
export function CardList() {
  return (
    <div className="space-y-6">
      <p className="text-soft">
        Any expiry in the future and any security code: four digits for American Express, three for all others. Any
        other card is declined.
      </p>
      {GROUPS.map(({ group, title }) => (
        <section key={group} aria-labelledby={`cards-${group}`}>
          <h3 id={`cards-${group}`} className="shop-label">
            {title}
          </h3>
          <ul className="mt-1.5 divide-y border-y">
            {SANDBOX_CARDS.filter((card) => card.group === group).map((card) => (
              <CardRow key={card.number} card={card} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function CardRow({ card }: { card: SandboxCard }) {
  const number = groupedNumber(card.number);
  return (
    <li className="flex items-start gap-2 py-2">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline gap-x-2.5">
          <span className="whitespace-nowrap font-mono text-[13px]">{number}</span>
          <span className="text-soft text-xs">{BRANDS[card.brand]}</span>
        </p>
        <p className="text-soft text-xs leading-relaxed">{card.effect}</p>
      </div>
      <CopyNumber number={card.number} label={`Copy ${number}`} />
    </li>
  );
}

function CopyNumber({ number, label }: { number: string; label: string }) {
  const [state, copy] = useCopied();

  return (
    <span className="flex items-center gap-1">
      <span className={state === "failed" ? "text-red text-xs" : "sr-only"} aria-live="polite">
        {state === "copied" ? "Copied" : state === "failed" ? "Select and copy" : ""}
      </span>
      <button
        type="button"
        onClick={() => void copy(number)}
        aria-label={label}
        className="button button-ghost button-icon max-lg:size-10"
      >
        {state === "copied" ? <Check aria-hidden="true" className="text-green" /> : <Copy aria-hidden="true" />}
      </button>
    </span>
  );
}
