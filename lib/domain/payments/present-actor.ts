import type { ActorNames, ActorRecord } from "@/db/queries/payment-detail";
import { encodeId } from "@/lib/contract/ids";
import type { ShownActor } from "@/lib/contract/payments/payment-detail";

/** Who did something, by name. A merchant learns that support did it, not which of its people. */
export function presentActor(actor: ActorRecord, names: ActorNames): ShownActor {
  const { type, id } = actor;
  switch (type) {
    case "api_key": {
      const key = names.keys.find((row) => row.id === id);
      return {
        type,
        id: id && encodeId("apiKey", id),
        name: key?.name ?? "An API key",
        detail: key ? `${key.prefix}…${key.last4}` : null,
      };
    }
    case "user": {
      const user = names.users.find((row) => row.id === id);
      return {
        type,
        id: id && encodeId("user", id),
        name: user?.name ?? user?.email ?? "A former member of the team",
        detail: user?.name ? user.email : null,
      };
    }
    case "staff":
      return { type, id: null, name: "Cardlane support", detail: null };
    case "shopper":
      return { type, id: id && encodeId("clientSession", id), name: "The shopper", detail: "in the payment form" };
    case "system":
      return { type, id: null, name: "Cardlane", detail: null };
    default:
      return type satisfies never;
  }
}
