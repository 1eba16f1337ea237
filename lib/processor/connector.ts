import type { z } from "zod";
import type { Clock } from "@/lib/clock";
import type { Journal } from "./journal";
import type { Processor } from "./port";

/** What a processor is made from, for one connection. */
export type ConnectorOptions<Credentials> = {
  /** The connection's id: the ids that the processor gives are kept under it. */
  readonly name: string;
  readonly credentials: Credentials;
  readonly settings: {
    /** Real money: credentials of a test account are refused by `checkConnection`, and the other way round. */
    readonly live: boolean;
    /** Card numbers may be given to it by our servers. */
    readonly rawCards: boolean;
    /** The metadata that is sent with a payment, by its keys; see {@link Connector.takesMetadata}. */
    readonly metadataKeys: readonly string[];
  };
  /** Of one HTTP request. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** The connection's own, for what its processor cannot be asked later. */
  readonly journal: Journal;
  /** Another host than the processor's own; for tests and operators. */
  readonly endpoint?: string | undefined;
};

/** One value of the credentials, as it is pasted into the settings or set by an operator. */
export type CredentialField = {
  /** Its key in the credentials. */
  readonly name: string;
  readonly label: string;
  /** Where to find it at the processor, and what it must be allowed to do. */
  readonly help: string;
  /** Typed into a password field and never shown again. */
  readonly secret: boolean;
  /**
   * What messages to our address are signed with. It is pasted once the address is known, so the schema takes the credentials
   * without it; until then `reports.read` refuses every message.
   */
  readonly webhook: boolean;
  /** It may be left empty; `checkConnection` says where that is wrong. */
  readonly optional?: true;
  /** The operator's environment variable, such as `STRIPE_SECRET_KEY`. */
  readonly setting: string;
};

/** What the processor sends to our address, and how. */
type WebhookSetup = {
  /** The way there in its dashboard, in one or two sentences. */
  readonly where: string;
  /** Names of the events to subscribe to, as its dashboard shows them. */
  readonly events: readonly string[];
  /** Body of the 200 with which it takes a message for delivered. */
  readonly accepted: string;
};

type Credentials = Readonly<Record<string, string | undefined>>;

/** A kind of processor that merchants and operators can connect. */
export type Connector = {
  /** In addresses and settings, such as `stripe`. */
  readonly key: string;
  /** Its name for people, such as "Stripe". */
  readonly label: string;
  readonly fields: readonly CredentialField[];
  readonly credentials: z.ZodType<Credentials>;
  readonly webhook: WebhookSetup;
  /** It shows a payment's description and metadata in its dashboard: merchants choose which metadata that is. */
  readonly takesMetadata?: true;
  /** Name of the report whose files its processors read (`readStatement`), where they cannot be asked for a list. */
  readonly report?: string;
  /** What is shown of credentials, such as `sk_test_…4242`: it tells two apart and opens nothing. */
  hint(credentials: Credentials): string;
  /** Throws ZodError for credentials of another shape. */
  create(options: ConnectorOptions<Credentials>): Processor;
};

/** A connector whose `create` gets credentials that its own schema has read. */
export function connector<Own extends Credentials>(
  made: Omit<Connector, "credentials" | "hint" | "create"> & {
    readonly credentials: z.ZodType<Own>;
    hint(credentials: Own): string;
    create(options: ConnectorOptions<Own>): Processor;
  },
): Connector {
  const read = (credentials: Credentials) => made.credentials.parse(credentials);
  return {
    ...made,
    hint: (credentials) => made.hint(read(credentials)),
    create: (options) => made.create({ ...options, credentials: read(options.credentials) }),
  };
}
