import type { ShownActor } from "@/lib/contract/dashboard/payment-detail";

/** Who did something: the name, and what tells two of the same name apart. */
export function Actor({ actor }: { actor: ShownActor }) {
  return (
    <span className="[overflow-wrap:anywhere]">
      {actor.name}
      {actor.detail && (
        <span className={actor.type === "api_key" ? "font-mono text-soft" : "text-soft"}> · {actor.detail}</span>
      )}
    </span>
  );
}
