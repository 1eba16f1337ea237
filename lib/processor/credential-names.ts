import { FIELDS as ADYEN } from "./adyen/credentials";
import type { CredentialField } from "./connector";
import { FIELDS as STRIPE } from "./stripe/credentials";

/**
 * Credential fields of each connector, by its key. They are kept apart from the connectors because every
 * process loads them for its log. A test compares the two lists.
 */
export const CREDENTIAL_FIELDS: Readonly<Record<string, readonly CredentialField[]>> = { stripe: STRIPE, adyen: ADYEN };

/** Their keys in the credentials. */
export const CREDENTIAL_NAMES: readonly string[] = Object.values(CREDENTIAL_FIELDS).flatMap((fields) =>
  fields.map(({ name }) => name),
);

/** Ignores spelling variants: `hmac_key`, `hmacKey` and `HMAC-Key` are equal. */
const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "");
const PLAIN: ReadonlySet<string> = new Set(CREDENTIAL_NAMES.map(plain));

/** True for the name of a processor's credential. */
export const isCredentialName = (name: string): boolean => PLAIN.has(plain(name));
