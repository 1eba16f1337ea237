import { cardBrand } from "@/lib/contract/card-networks";
import type { CardInput } from "@/lib/contract/payments/payment";
import { SANDBOX_CARDS, type SandboxBehavior } from "@/lib/contract/sandbox-cards";
import { type Secret, UnknownKeyError } from "@/lib/secret";
import type { TokenizedCard } from "../port";

/** What a token remembers of a card: how it behaves, and its slow fingerprint. Never the number or security code. */
export type SandboxToken = { behaviour: SandboxBehavior; fingerprint: string; expMonth: number; expYear: number };

export type SandboxVault = {
  tokenize(account: string, card: CardInput): Promise<TokenizedCard>;
  /** What is in a token, or null when this vault did not seal it. */
  open(token: string): SandboxToken | null;
  /**
   * Keyed digest of an account's personal detail, to count its repetitions without storing it; in the text form of a UUID
   * because PostgreSQL compares and indexes those as 16 plain bytes.
   */
  digest(purpose: string, account: string, text: string): string;
};

const PREFIX = "sbx_";
const BEHAVIOURS = new Map(SANDBOX_CARDS.map((card) => [card.number, card.behavior]));

/**
 * Tokens are sealed descriptions rather than rows: every process understands them, one that was changed does not open, and
 * no other can read the fingerprint in one.
 */
export function createVault(secret: Secret): SandboxVault {
  return {
    async tokenize(account, card) {
      const fingerprint = (await secret.fingerprint(account, card)).toString("base64url");
      const behaviour = BEHAVIOURS.get(card.number) ?? "decline:generic_decline";
      const token = PREFIX + secret.seal(JSON.stringify([behaviour, fingerprint, card.exp_month, card.exp_year]));
      return {
        token,
        brand: cardBrand(card.number),
        bin: card.number.slice(0, 6),
        last4: card.number.slice(-4),
        exp_month: card.exp_month,
        exp_year: card.exp_year,
      };
    },

    open(token) {
      if (!token.startsWith(PREFIX)) return null;
      try {
        const [behaviour, fingerprint, expMonth, expYear] = JSON.parse(secret.unseal(token.slice(PREFIX.length)));
        return { behaviour, fingerprint, expMonth, expYear };
      } catch (error) {
        // One of ours, which a process that has its secret would take: no reason to decline a card.
        if (error instanceof UnknownKeyError) throw error;
        return null;
      }
    },

    digest(purpose, account, text) {
      const hex = secret.digest("sandbox-attempt", `${purpose}\n${account}\n${text}`).toString("hex");
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
    },
  };
}
