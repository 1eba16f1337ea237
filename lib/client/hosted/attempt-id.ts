/** A new attempt's id. `randomUUID` is missing on pages that came by plain http. */
export function mintAttempt(
  source: Partial<Pick<Crypto, "randomUUID">> & Pick<Crypto, "getRandomValues"> = crypto,
): string {
  if (source.randomUUID) return source.randomUUID();
  const bytes = source.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  // In the groups of a UUID: a long run of digits could be a card number, and is refused.
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
