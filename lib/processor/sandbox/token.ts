import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { CardInput } from "@/lib/contract/payment";
import { SANDBOX_CARDS, type SandboxBehaviour } from "@/lib/contract/sandbox-cards";
import type { TokenizedCard } from "../port";
import { brandOf } from "./card-checks";

/** What a token remembers of a card: how it behaves, and what a receipt may show. Never the number or security code. */
export type SandboxToken = { behaviour: SandboxBehaviour; fingerprint: string; expMonth: number; expYear: number };

export type SandboxVault = {
  tokenize(card: CardInput): TokenizedCard;
  /** What is in a token, or null when this vault did not seal it. */
  open(token: string): SandboxToken | null;
  /**
   * Keyed digest of an account's personal detail, to count its repetitions without storing it; in the text form of a UUID
   * because PostgreSQL compares and indexes those as 16 plain bytes.
   */
  digest(purpose: string, account: string, text: string): string;
};

const PREFIX = "sbx_";
const BEHAVIOURS = new Map(SANDBOX_CARDS.map((card) => [card.number, card.behaviour]));

/**
 * Tokens are sealed descriptions rather than rows: nothing of a card is stored, every process understands them, and a
 * changed one is refused by its MAC.
 */
export function createVault(secret: string | Buffer): SandboxVault {
  const key = (purpose: string) => Buffer.from(hkdfSync("sha256", secret, "sandbox-processor", purpose, 32));
  const fingerprintKey = key("fingerprint");
  const sealKey = key("token");
  const digestKey = key("digest");
  const seal = (payload: string) => createHmac("sha256", sealKey).update(payload).digest();

  return {
    tokenize(card) {
      const fingerprint = createHmac("sha256", fingerprintKey).update(card.number).digest("base64url");
      const behaviour = BEHAVIOURS.get(card.number) ?? "decline:generic_decline";
      const brand = brandOf(card.number);
      const bin = card.number.slice(0, 6);
      const last4 = card.number.slice(-4);
      const contents = [behaviour, fingerprint, card.exp_month, card.exp_year, brand, bin, last4];
      const payload = Buffer.from(JSON.stringify(contents)).toString("base64url");
      const token = `${PREFIX}${payload}.${seal(payload).toString("base64url")}`;
      return { token, fingerprint, brand, bin, last4, exp_month: card.exp_month, exp_year: card.exp_year };
    },

    open(token) {
      const dot = token.indexOf(".");
      if (!token.startsWith(PREFIX) || dot < 0) return null;
      const payload = token.slice(PREFIX.length, dot);
      const mac = Buffer.from(token.slice(dot + 1), "base64url");
      if (mac.length !== 32 || !timingSafeEqual(mac, seal(payload))) return null;
      const [behaviour, fingerprint, expMonth, expYear] = JSON.parse(Buffer.from(payload, "base64url").toString());
      return { behaviour, fingerprint, expMonth, expYear };
    },

    digest(purpose, account, text) {
      const hex = createHmac("sha256", digestKey).update(`${purpose}\n${account}\n${text}`).digest("hex");
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
    },
  };
}
