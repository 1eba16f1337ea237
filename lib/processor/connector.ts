import type { z } from "zod";
import type { Clock } from "@/lib/clock";
import type { Journal } from "./journal";
import type { Processor } from "./port";

/** Everything that a connection's processor is created from. */
export type ConnectorOptions<Credentials> = {
  /** The connection's id: the processor's own ids are stored under it. */
  readonly name: string;
  readonly credentials: Credentials;
  readonly settings: {
    /** Real money. `checkConnection` refuses credentials for the other mode. */
    readonly live: boolean;
    /** Our servers may send it card numbers. */
    readonly rawCards: boolean;
    /** Keys of the metadata that is sent with a payment; see {@link Connector.takesMetadata}. */
    readonly metadataKeys: readonly string[];
  };
  /** Timeout of one HTTP request. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** The connection's journal, for facts that its processor can't return later. */
  readonly journal: Journal;
  /** Host instead of the processor's own; for tests and operators. */
  readonly endpoint?: string | undefined;
};

/** One value of the credentials, which is pasted into the settings or set by an operator. */
export type CredentialField = {
  /** Key in the credentials. */
  readonly name: string;
  readonly label: string;
  /** Help text: the place to find it at the processor, and the permissions that it needs. */
  readonly help: string;
  /** Password field; never shown again. */
  readonly secret: boolean;
  /**
   * Signing secret of messages to our address. It is pasted once the address is known, so the schema accepts
   * credentials without it; until then `reports.read` refuses every message.
   */
  readonly webhook: boolean;
  /** It may be empty; `checkConnection` reports connections that need it. */
  readonly optional?: true;
  /** The operator's environment variable, such as `STRIPE_SECRET_KEY`. */
  readonly setting: string;
};

/** Setup of the messages that the processor sends to our address. */
type WebhookSetup = {
  /** Path through its dashboard, in one or two sentences. */
  readonly where: string;
  /** Events to subscribe to, as its dashboard names them. */
  readonly events: readonly string[];
  /** Body of the 200 that acknowledges a message. */
  readonly accepted: string;
};

type Credentials = Readonly<Record<string, string | undefined>>;

/** A kind of processor that merchants and operators can connect. */
export type Connector = {
  /** Key in URLs and settings, such as `stripe`. */
  readonly key: string;
  /** Display name, such as "Stripe". */
  readonly label: string;
  readonly fields: readonly CredentialField[];
  readonly credentials: z.ZodType<Credentials>;
  readonly webhook: WebhookSetup;
  /** Its dashboard shows a payment's description and metadata; merchants choose the metadata keys. */
  readonly takesMetadata?: true;
  /** Report whose files its processors read (`readStatement`), if its API has no list of payments. */
  readonly report?: string;
  /** Displayed part of the credentials, such as `sk_test_…4242`: it identifies them and grants no access. */
  hint(credentials: Credentials): string;
  /** Throws ZodError if the credentials don't match the schema. */
  create(options: ConnectorOptions<Credentials>): Processor;
};

/** A connector whose `create` gets credentials that its own schema has parsed. */
export function connector<Own extends Credentials>(
  definition: Omit<Connector, "credentials" | "hint" | "create"> & {
    readonly credentials: z.ZodType<Own>;
    hint(credentials: Own): string;
    create(options: ConnectorOptions<Own>): Processor;
  },
): Connector {
  const read = (credentials: Credentials) => definition.credentials.parse(credentials);
  return {
    ...definition,
    hint: (credentials) => definition.hint(read(credentials)),
    create: (options) => definition.create({ ...options, credentials: read(options.credentials) }),
  };
}
