import { FIELDS as ADYEN } from "./adyen/credentials";
import type { CredentialField } from "./connector";
import { FIELDS as STRIPE } from "./stripe/credentials";

/**
 * What is pasted of each connector, by its key; apart from what speaks to the processors, for every process loads its logs. A test
 * compares it with the connectors, so that none can be left out.
 */
export const CREDENTIAL_FIELDS: Readonly<Record<string, readonly CredentialField[]>> = { stripe: STRIPE, adyen: ADYEN };

/** Their names, as they stand in the credentials. */
export const CREDENTIAL_NAMES: readonly string[] = Object.values(CREDENTIAL_FIELDS).flatMap((fields) =>
  fields.map(({ name }) => name),
);

/** A name whatever its spelling: `hmac_key`, `hmacKey` and `HMAC-Key` are one. */
const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "");
const PLAIN: ReadonlySet<string> = new Set(CREDENTIAL_NAMES.map(plain));

/** Whether a caller's own name is one under which a processor's credentials are known. */
export const isCredentialName = (name: string): boolean => PLAIN.has(plain(name));
