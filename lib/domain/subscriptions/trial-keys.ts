import { sha256 } from "@/lib/secret";

/** The address as one mailbox: lower case, without what follows a plus sign. */
function mailboxOf(email: string): string {
  const address = email.trim().toLowerCase();
  const at = address.lastIndexOf("@");
  const plus = address.indexOf("+");
  return plus >= 0 && plus < at ? address.slice(0, plus) + address.slice(at) : address;
}

/** Digests in hex that have one trial of a plan: of the customer, the card and the e-mail address. */
export function trialKeys(who: { customerId: string; email: string | null; card: string | null }): string[] {
  const keys = [`customer:${who.customerId}`];
  if (who.card !== null) keys.push(`card:${who.card}`);
  if (who.email !== null) keys.push(`email:${mailboxOf(who.email)}`);
  return keys.map((key) => sha256(key).toString("hex"));
}
