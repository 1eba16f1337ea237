import { cardBrand } from "@/lib/contract/card-networks";
import type { CardInput } from "@/lib/contract/payments/payment";
import { SANDBOX_CARDS, type SandboxBehavior } from "@/lib/contract/sandbox-cards";
import { type Secret, UnknownKeyError } from "@/lib/secret";
import type { TokenizedCard } from "../cards";
import type { CardInUse } from "./checks";

/** Contents of a token: the card's behavior and its slow fingerprint. Never the number or security code. */
type SandboxToken = { behavior: SandboxBehavior; fingerprint: string; expMonth: number; expYear: number };

export type SandboxVault = {
  tokenize(account: string, card: CardInput): Promise<TokenizedCard>;
  /** A token's contents, or null if this vault did not seal it. */
  open(token: string): SandboxToken | null;
  /** The card behind an account's token, as it is charged or stored; null as in `open`. */
  read(account: string, token: string): CardInUse | null;
  /**
   * Keyed digest of an account's personal detail, to count repetitions without storing it. In UUID text form
   * because PostgreSQL stores and indexes those as 16 bytes.
   */
  digest(purpose: string, account: string, text: string): string;
};

const PREFIX = "sbx_";
const BEHAVIORS = new Map(SANDBOX_CARDS.map((card) => [card.number, card.behavior]));

/**
 * Tokens are sealed values rather than rows: every process can read them, a modified one does not open, and
 * no one else can read the fingerprint inside.
 */
export function createVault(secret: Secret): SandboxVault {
  const vault: SandboxVault = {
    async tokenize(account, card) {
      const fingerprint = (await secret.fingerprint(account, card)).toString("base64url");
      const behavior = BEHAVIORS.get(card.number) ?? "decline:generic_decline";
      const token = PREFIX + secret.seal(JSON.stringify([behavior, fingerprint, card.exp_month, card.exp_year]));
      return {
        token,
        brand: cardBrand(card.number),
        bin: card.number.slice(0, 6),
        last4: card.number.slice(-4),
        exp_month: card.exp_month,
        exp_year: card.exp_year,
        fingerprint: vault.digest("card", account, fingerprint),
      };
    },

    open(token) {
      if (!token.startsWith(PREFIX)) return null;
      try {
        const [behavior, fingerprint, expMonth, expYear] = JSON.parse(secret.unseal(token.slice(PREFIX.length)));
        return { behavior, fingerprint, expMonth, expYear };
      } catch (error) {
        // The token is ours, and a process with its secret would accept it: no reason to decline the card.
        if (error instanceof UnknownKeyError) throw error;
        return null;
      }
    },

    read(account, token) {
      const opened = vault.open(token);
      if (opened === null) return null;
      const { behavior, fingerprint, expMonth, expYear } = opened;
      return { behavior, fingerprint: vault.digest("card", account, fingerprint), expMonth, expYear };
    },

    digest(purpose, account, text) {
      const hex = secret.digest("sandbox-attempt", `${purpose}\n${account}\n${text}`).toString("hex");
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
    },
  };
  return vault;
}
