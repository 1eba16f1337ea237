import { findEnvironmentById } from "@/db/queries/accounts/merchants";
import { findOperation } from "@/db/queries/payments/operations";
import { findOperationOfObject } from "@/db/queries/payments/processor-objects";
import { findOurEntries, type OurEntry } from "@/db/queries/processors/our-entries";
import { type ConnectionToCompare, listConnectionsToCompare } from "@/db/queries/processors/reconciliation";
import { countServices } from "@/db/queries/service/settings";
import { AppError } from "@/lib/contract/errors";
import { encodeId } from "@/lib/contract/ids";
import type { StatementEntry } from "@/lib/processor/records";
import type { Reporter } from "@/lib/processor/registry";
import type { Environment, Service } from "../context";
import { AUTHORIZATION_DAYS } from "../payments/outcome";
import { isUuid } from "../payments/trace";
import {
  type Adoption,
  adoptFollowUp,
  adoptPayment,
  type ListedFollowUp,
  type ListedPayment,
  NO_INVOICE,
  resolveKnown,
} from "./adopt";
import { listedText } from "./differences";
import { labelOf } from "./reconciliation";

/** An operation that needs a person, in sentences. */
export type RestoredEntry = {
  /** `payment`, `capture`, `void` or `refund`. */
  readonly what: string;
  /** The processor's id, and its state there. */
  readonly object: string;
  readonly there: string;
  readonly at: string;
  readonly sentences: readonly string[];
};

/** The result for one connection. */
export type RestoredConnection = {
  readonly connection: string;
  readonly label: string;
  /** Operations written by kind. */
  readonly adopted: { readonly [kind in "payments" | "captures" | "voids" | "refunds"]: number };
  /** Number of them whose outcome recovery will book. */
  readonly open: number;
  /** Written, but not like before. */
  readonly changed: readonly RestoredEntry[];
  /** Known to the processor alone, or booked without their invoice. */
  readonly left: readonly RestoredEntry[];
  /** Why the connection was not read; null if it was. */
  readonly skipped: string | null;
};

type Restore = {
  /** The time that the database was restored to. */
  readonly restoredTo: Date;
  /** Called for each connection, and every hundred operations. */
  readonly onProgress?: (sentence: string) => void;
};

const DAY_MS = 24 * 60 * 60_000;
/** Allows for clock differences. */
const SLACK_MS = 60 * 60_000;
const CHUNK = 200;
const PROGRESS_EVERY = 100;

/**
 * After a restore to an earlier time: writes the operations that the processors executed since and the restored
 * books lack, with their ids and idempotency keys, so that nothing is charged twice. Moves no money. Only while
 * no service runs on the database: its jobs would charge subscriptions again, and its requests would be new.
 * Safe to repeat. Throws AppError if a service runs.
 */
export async function adoptMissing(service: Service, input: Restore): Promise<RestoredConnection[]> {
  const running = await countServices(service.db.sql);
  if (running > 0)
    throw new AppError(
      "invalid_state",
      `A service is running on this database (${running} connections). Stop every process first: it charges subscriptions and takes requests whose earlier outcome the books lack.`,
    );
  const connections = await listConnectionsToCompare(service.db.sql);
  const results: RestoredConnection[] = [];
  for (const connection of connections) {
    input.onProgress?.(`${labelOf(service, connection)}: reading the processor's list`);
    results.push(await new ConnectionRun(service, connection, input).run());
  }
  return results;
}

type Found = { readonly environment: Environment; readonly entry: StatementEntry };
type Missing = Found & { readonly ours: OurEntry | null };

class ConnectionRun {
  readonly #service: Service;
  readonly #connection: ConnectionToCompare;
  readonly #input: Restore;
  readonly #adopted = { payments: 0, captures: 0, voids: 0, refunds: 0 };
  #open = 0;
  readonly #changed: RestoredEntry[] = [];
  readonly #left: RestoredEntry[] = [];
  readonly #environments = new Map<string, Environment | null>();
  /** Environments of the listed payments, by their objects: the list has all payments before the refunds. */
  readonly #accounts = new Map<string, string>();

  constructor(service: Service, connection: ConnectionToCompare, input: Restore) {
    this.#service = service;
    this.#connection = connection;
    this.#input = input;
  }

  async run(): Promise<RestoredConnection> {
    const label = labelOf(this.#service, this.#connection);
    const at = await this.#service.processors.reporter(this.#connection.id);
    if (!at) return this.#result(`${label} is not connected: connect the same account again, and run this again.`);
    const { statement } = at.processor;
    if (!statement)
      return this.#result(
        `${label} has no list of payments that programs can ask for. Compare it with its report of payments (npm run reconcile -- --connection ${encodeId("connection", this.#connection.id)} --since ${this.#input.restoredTo.toISOString()} --report FILE.csv): what is only at the processor was paid through Cardlane if its reference is a UUID. Until you have told those merchants, a retry of such a request is a new payment.`,
      );
    // A hold from before can have been captured or released since.
    const since = new Date(this.#input.restoredTo.getTime() - AUTHORIZATION_DAYS * DAY_MS - SLACK_MS);
    const until = new Date(this.#service.clock.now().getTime() + SLACK_MS);
    const missing: Missing[] = [];
    let chunk: StatementEntry[] = [];
    for await (const entry of statement({ since, until })) {
      chunk.push(entry);
      if (chunk.length < CHUNK) continue;
      missing.push(...(await this.#missingOf(at, chunk)));
      chunk = [];
    }
    missing.push(...(await this.#missingOf(at, chunk)));
    // Payments before their refunds; each as long ago as it is.
    missing.sort((a, b) => rank(a) - rank(b) || a.entry.created_at.getTime() - b.entry.created_at.getTime());
    for (const [index, one] of missing.entries()) {
      if (index > 0 && index % PROGRESS_EVERY === 0)
        this.#input.onProgress?.(`${label}: ${index} of ${missing.length} operations`);
      await this.#adopt(at, one);
    }
    return this.#result(null);
  }

  /** Entries of ours that the books lack, or whose payment was authorized, captured or released since. */
  async #missingOf(at: Reporter, entries: readonly StatementEntry[]): Promise<Missing[]> {
    const own = entries.filter(({ reference }) => isUuid(reference));
    const environments = new Map<StatementEntry, Environment>();
    for (const entry of own) {
      const environment = await this.#environmentOf(at, entry);
      if (environment) environments.set(entry, environment);
      else if (entry.kind === "payment" && entry.origin) this.#leave("payment", entry, [NO_ENVIRONMENT]);
    }
    const found = await findOurEntries(
      this.#service.db.sql,
      {
        connectionId: this.#connection.id,
        processor: at.processor.name,
        environmentIds: [...new Set([...environments.values()].map(({ id }) => id))],
        quietSince: this.#service.clock.now(),
        knownUntil: null,
      },
      { references: own.map(({ reference }) => reference as string), objects: [] },
    );
    const ours = new Map(found.map((one) => [`${one.kind} ${one.named_reference}`, one]));
    return [...environments].flatMap(([entry, environment]) => {
      const known = ours.get(`${entry.kind} ${entry.reference}`) ?? null;
      const isCharged = known?.state === "AUTHORIZED" && entry.kind === "payment" && stepOf(entry) !== null;
      const changes = isCharged || (known?.kind === "payment" && known.state === "PENDING");
      return known === null || changes ? [{ entry, environment, ours: known }] : [];
    });
  }

  /** A payment names its environment; a refund's is that of its payment, which may be missing as well. */
  async #environmentOf(at: Reporter, entry: StatementEntry): Promise<Environment | null> {
    const id =
      entry.kind === "payment"
        ? (entry.origin?.account ?? null)
        : (at.environmentId ??
          this.#accounts.get(entry.payment) ??
          (await findOperationOfObject(this.#service.db.sql, at.processor.name, entry.payment))?.environment_id ??
          null);
    if (id === null || !isUuid(id) || (at.environmentId !== null && at.environmentId !== id)) return null;
    if (entry.kind === "payment") this.#accounts.set(entry.object.id, id);
    const known = this.#environments.get(id);
    if (known !== undefined) return known;
    const row = await findEnvironmentById(this.#service.db.orm, id);
    const environment = row?.mode === at.mode ? row : null;
    this.#environments.set(id, environment);
    return environment;
  }

  async #adopt(at: Reporter, { entry, environment, ours }: Missing): Promise<void> {
    const service = this.#service;
    if (entry.kind === "refund") {
      const paymentId = await this.#paymentOf(at, entry.payment);
      if (paymentId === null) return this.#leave("refund", entry, [NO_PAYMENT]);
      const { reference, amount, trace = {}, object } = entry;
      const followUp = { kind: "refund", paymentId, reference: reference as string, amount, trace, object } as const;
      return this.#note("refunds", "refund", entry, await adoptFollowUp(service, at, environment, followUp));
    }
    let paymentId = ours?.payment_id ?? null;
    if (ours?.state === "PENDING") {
      const object = { ...entry.object, processor: at.processor.name };
      if ((await resolveKnown(service, environment.id, ours.reference, object)) === "open") {
        this.#leave("payment", entry, [STILL_OPEN]);
        return;
      }
    }
    if (!ours) {
      const adopted = await adoptPayment(service, at, environment, entry as ListedPayment);
      this.#note("payments", "payment", entry, adopted);
      if (adopted.kind !== "settled") return;
      paymentId = await this.#paymentOf(at, entry.object.id);
    }
    const step = stepOf(entry);
    if (step === null || paymentId === null) return;
    const { sql } = service.db.within(environment.id);
    // An operation that was open at the time of the copy is recovery's.
    if (await findOperation(sql, environment.id, step.reference)) return;
    const followUp: ListedFollowUp = { ...step, paymentId, object: null };
    const written = await adoptFollowUp(service, at, environment, followUp);
    this.#note(step.kind === "capture" ? "captures" : "voids", step.kind, entry, written);
  }

  async #paymentOf(at: Reporter, object: string): Promise<string | null> {
    const { sql } = this.#service.db;
    const named = await findOperationOfObject(sql, at.processor.name, object);
    if (!named) return null;
    const { environment_id: environmentId, operation_id: id } = named;
    return (await findOperation(this.#service.db.within(environmentId).sql, environmentId, id))?.payment_id ?? null;
  }

  #note(count: keyof RestoredConnection["adopted"], what: string, entry: StatementEntry, adoption: Adoption): void {
    if (adoption.kind === "left") {
      this.#leave(what, entry, [adoption.reason]);
      return;
    }
    this.#adopted[count] += 1;
    if (adoption.kind === "open") this.#open += 1;
    if (adoption.notes.includes(NO_INVOICE)) this.#leave(what, entry, adoption.notes);
    else if (adoption.notes.length > 0) this.#changed.push(describe(what, entry, adoption.notes));
  }

  #leave(what: string, entry: StatementEntry, sentences: readonly string[]): void {
    this.#left.push(describe(what, entry, sentences));
  }

  #result(skipped: string | null): RestoredConnection {
    return {
      connection: encodeId("connection", this.#connection.id),
      label: labelOf(this.#service, this.#connection),
      adopted: this.#adopted,
      open: this.#open,
      changed: this.#changed,
      left: this.#left,
      skipped,
    };
  }
}

const rank = ({ entry }: Found) => (entry.kind === "payment" ? 0 : 1);

const NO_ENVIRONMENT =
  "Its merchant is not in the restored books: it signed up afterwards. Refund the payment in the processor's dashboard, or create the merchant again.";
const STILL_OPEN = "It was in progress at that time, and its outcome is not known yet. Run this again in a minute.";
const NO_PAYMENT = "Its payment is not in the books. Compare the payment with the processor first.";

/** The capture or void of a listed payment that was authorized without a capture. */
function stepOf(
  entry: Extract<StatementEntry, { kind: "payment" }>,
): Omit<ListedFollowUp, "paymentId" | "object"> | null {
  const { origin, state, captured, amount } = entry;
  if (!origin) return null;
  if (state === "captured" && origin.capture && isUuid(origin.capture.reference))
    return { kind: "capture", amount: captured, ...origin.capture };
  if (state === "voided" && origin.void && isUuid(origin.void.reference))
    return { kind: "void", amount, ...origin.void };
  return null;
}

const describe = (what: string, entry: StatementEntry, sentences: readonly string[]): RestoredEntry => ({
  what,
  object: entry.object.id,
  there: listedText(entry),
  at: entry.created_at.toISOString(),
  sentences,
});
