import { cardBrand } from "@/lib/contract/card-networks";
import { maskCardNumbers } from "@/lib/contract/card-numbers";

/** Enough of a payment token to recognize it, too little to use it. */
const TOKEN_PREFIX_LENGTH = 14;
/** Characters that PostgreSQL's jsonb cannot store, in JSON text: U+0000 and lone surrogates. */
const NOT_STORABLE = /\\u(0000|d[89a-f][0-9a-f]{2})/;

/**
 * A request's body as JSON text that may be stored and shown. A card keeps its brand, last 4, expiry and
 * name, never number or CVV; a payment token keeps its prefix. Null without a body.
 */
export function keepableBody(body: unknown): string | null {
  if (typeof body !== "object" || body === null) return null;
  const kept = "card" in body || "payment_token" in body ? withoutSecrets({ ...body }) : body;
  const text = JSON.stringify(kept);
  return NOT_STORABLE.test(text) ? JSON.stringify(storable(kept)) : text;
}

function withoutSecrets(body: { card?: unknown; payment_token?: unknown }): object {
  if (body.card !== undefined) body.card = keepableCard(body.card);
  // A client may send a card number as the token by mistake, and its prefix would be most of the number.
  if (typeof body.payment_token === "string")
    body.payment_token = `${maskCardNumbers(body.payment_token).slice(0, TOKEN_PREFIX_LENGTH)}…`;
  return body;
}

/** An allow-list, so that a member which the contract adds to cards later is not stored by accident. */
function keepableCard(card: unknown): object | null {
  if (typeof card !== "object" || card === null) return null;
  const { number, exp_month, exp_year, name } = card as Record<string, unknown>;
  const digits = typeof number === "string" ? number.replace(/\D/g, "") : "";
  return {
    brand: cardBrand(digits),
    last4: digits.slice(-4),
    exp_month: exp_month ?? null,
    exp_year: exp_year ?? null,
    ...(typeof name === "string" && { name }),
  };
}

function storable(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("\u0000", "\uFFFD").toWellFormed();
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [storable(name), storable(member)]));
}
