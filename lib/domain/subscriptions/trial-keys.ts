import { sha256 } from "@/lib/secret";

/** The mailbox of an address: in lower case, without a plus tag. */
function mailboxOf(email: string): string {
  const address = email.trim().toLowerCase();
  const at = address.lastIndexOf("@");
  const plus = address.indexOf("+");
  return plus >= 0 && plus < at ? address.slice(0, plus) + address.slice(at) : address;
}

/** Hex digests of the customer, the card and the mailbox, each of which gets one trial per plan. */
export function trialKeys(who: { customerId: string; email: string | null; card: string | null }): string[] {
  const keys = [`customer:${who.customerId}`];
  if (who.card !== null) keys.push(`card:${who.card}`);
  if (who.email !== null) keys.push(`email:${mailboxOf(who.email)}`);
  return keys.map((key) => sha256(key).toString("hex"));
}
