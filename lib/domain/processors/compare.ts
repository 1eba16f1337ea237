import {
  type Compared,
  countOurPayments,
  findOurEntries,
  type IdRange,
  listOurPayments,
  listOurRefunds,
  type OurEntry,
} from "@/db/queries/processors/our-entries";
import { encodeId } from "@/lib/contract/ids";
import { type Difference, type Findings, MAX_DIFFERENCES } from "@/lib/contract/processors/reconciliation";
import { firstIdAt } from "@/lib/ids";
import type { Inquiry, Processor } from "@/lib/processor/port";
import type { FiledStatement, ProcessorObject, StatementEntry } from "@/lib/processor/records";
import type { Service } from "../context";
import { inquireProcessor } from "../payments/processor-calls";
import { judge, listedText, MADE_TWICE, movesMoney, mustBeThere, ONLY_HERE, ONLY_THERE, ourText } from "./differences";

export type Comparison = {
  readonly connectionId: string;
  readonly processor: Processor;
  /** Display name. */
  readonly label: string;
  /** Environments whose payments it takes: one, unless the operator owns the connection. */
  readonly environmentIds: readonly string[];
  readonly since: Date;
  readonly until: Date;
  /** The processor's list from report files, if its API has none. */
  readonly filed?: FiledStatement | null;
  /** Aborts with an error before the next entry or status check. */
  readonly signal?: AbortSignal | undefined;
};

const MINUTE_MS = 60_000;
/** Operations changed more recently may still be in progress, and so may their reports. */
const QUIET_MS = 5 * MINUTE_MS;
/** Allows for clock differences, and for requests that are executed late. */
const SLACK_MS = 60 * MINUTE_MS;
const MAX_PERIOD_MS = 24 * 60 * MINUTE_MS;
/** Page size; a single minute may exceed it. */
const MAX_PER_PERIOD = 20_000;
const CHUNK = 200;
/** Max number of status checks of missing entries. */
const MAX_STATUS_CHECKS = 500;

/**
 * Compares a processor's own list of payments and refunds with ours, one period after another. Moves no money
 * and repairs nothing: it reports differences with advice.
 */
export async function compareWithProcessor(service: Service, input: Comparison): Promise<Findings> {
  const run = new ComparisonRun(service, input);
  if (input.filed) return run.compareFiles(input.filed);
  if (input.processor.statement === undefined) return run.withoutStatement();
  return run.compareList(input.processor.statement);
}

class ComparisonRun {
  readonly #service: Service;
  readonly #input: Comparison;
  readonly #of: Compared;
  readonly #findings = { payments: 0, refunds: 0, under_way: 0, difference_count: 0 };
  readonly #differences: Difference[] = [];
  readonly #unchecked: string[] = [];
  /** Our matched entries, with the processor's object ids: of this period, and of the previous one. */
  #seen = new Map<string, string>();
  #seenBefore = new Map<string, string>();
  /** Our entries without a match so far. */
  readonly #missing = new Map<string, OurEntry>();
  #missingBeyond = 0;

  constructor(service: Service, input: Comparison) {
    this.#service = service;
    this.#input = input;
    const quietSince = new Date(service.clock.now().getTime() - QUIET_MS);
    const { connectionId, environmentIds, filed } = input;
    const knownUntil = filed ? new Date(filed.until.getTime() - SLACK_MS) : null;
    this.#of = { connectionId, environmentIds, processor: input.processor.name, quietSince, knownUntil };
  }

  async withoutStatement(): Promise<Findings> {
    const { since, until, label, connectionId } = this.#input;
    for await (const ours of this.#listOurs({ from: firstIdAt(since), before: firstIdAt(until) })) this.#count(ours);
    const { payments, refunds, under_way } = this.#findings;
    this.#unchecked.push(
      `${label} has no list of payments that programs can ask for: ${payments + refunds + under_way} payments and refunds were compared with nothing this time. The operator compares them with its report of payments: npm run reconcile -- --connection ${encodeId("connection", connectionId)} --since DATE --report FILE.csv.`,
    );
    return { ...this.#result(), payments: 0, refunds: 0, under_way: payments + refunds + under_way };
  }

  async compareList(statement: NonNullable<Processor["statement"]>): Promise<Findings> {
    const { since, until } = this.#input;
    for (let from = since; from < until; ) {
      this.#input.signal?.throwIfAborted();
      const before = await this.#endOf(from);
      const isFirst = from === since;
      const isLast = before >= until;
      await this.#matchAll(
        statement({
          since: isFirst ? new Date(from.getTime() - SLACK_MS) : from,
          until: isLast ? new Date(Math.min(before.getTime() + SLACK_MS, this.#service.clock.now().getTime())) : before,
        }),
      );
      for await (const ours of this.#listOurs({ from: firstIdAt(from), before: firstIdAt(before) })) this.#note(ours);
      this.#seenBefore = this.#seen;
      this.#seen = new Map();
      from = before;
    }
    await this.#checkMissing();
    return this.#result();
  }

  /**
   * Compares with files, which contain nothing from outside their period. A
   * payment counts as missing only if the files must have it: at least an hour
   * from both ends. There are no status checks, as the API can't list payments.
   */
  async compareFiles({ entries, from, until: end, complete, unchecked }: FiledStatement): Promise<Findings> {
    const { since, until } = this.#input;
    await this.#matchAll(entries);
    const certain = { since: new Date(from.getTime() + SLACK_MS), until: new Date(end.getTime() - SLACK_MS) };
    let beyond = 0;
    for await (const ours of this.#listOurs({ from: firstIdAt(since), before: firstIdAt(until) })) {
      const created = new Date(ours.created_at);
      const isCertain = complete && created >= certain.since && created < certain.until;
      const isMissing = !this.#seen.has(keyOf(ours)) && mustBeThere(ours);
      if (isMissing && !isCertain) {
        beyond += 1;
        continue;
      }
      this.#count(ours);
      if (isMissing && !ours.under_way) this.#onlyHere(ours);
    }
    if (!complete)
      this.#unchecked.push("The report is not complete for its period, so no payment or refund is reported missing.");
    if (beyond > 0)
      this.#unchecked.push(
        `${beyond} of Cardlane's payments and refunds are not in the report, and may fall outside its period: ${certain.until > certain.since ? `it certainly covers ${certain.since.toISOString()} to ${certain.until.toISOString()}` : "its period is too short to be certain of any"}.`,
      );
    if (this.#findings.under_way > 0)
      this.#unchecked.push(
        `${this.#findings.under_way} payments and refunds changed after ${certain.until.toISOString()}, or still do. Compare them with a later report.`,
      );
    this.#unchecked.push(...unchecked);
    return this.#result();
  }

  /** End of a period: after a day, or earlier if it has many payments. */
  async #endOf(from: Date): Promise<Date> {
    const { until } = this.#input;
    let lengthMs = Math.min(MAX_PERIOD_MS, until.getTime() - from.getTime());
    const isTooMany = async () => {
      const range = { from: firstIdAt(from), before: firstIdAt(new Date(from.getTime() + lengthMs)) };
      return (await countOurPayments(this.#sql, this.#of, range, MAX_PER_PERIOD)) >= MAX_PER_PERIOD;
    };
    while (lengthMs > MINUTE_MS && (await isTooMany())) lengthMs = Math.ceil(lengthMs / 4);
    return new Date(from.getTime() + lengthMs);
  }

  get #sql() {
    return this.#service.db.sql;
  }

  async #matchAll(entries: AsyncIterable<StatementEntry> | Iterable<StatementEntry>): Promise<void> {
    let chunk: StatementEntry[] = [];
    for await (const entry of entries) {
      this.#input.signal?.throwIfAborted();
      chunk.push(entry);
      if (chunk.length < CHUNK) continue;
      await this.#match(chunk);
      chunk = [];
    }
    if (chunk.length > 0) await this.#match(chunk);
  }

  async #match(entries: readonly StatementEntry[]): Promise<void> {
    const found = await findOurEntries(this.#sql, this.#of, {
      references: [...new Set(entries.flatMap(({ reference }) => (isUuid(reference) ? [reference] : [])))],
      objects: [...new Set(entries.map(({ object }) => object.id))],
    });
    const byObject = new Map(found.map((ours) => [`${ours.kind} ${ours.named_object}`, ours]));
    const byReference = new Map(found.map((ours) => [`${ours.kind} ${ours.named_reference}`, ours]));
    for (const entry of entries) {
      const ours =
        byObject.get(`${entry.kind} ${entry.object.id}`) ??
        (entry.reference === null ? undefined : byReference.get(`${entry.kind} ${entry.reference}`));
      if (ours) this.#compare(ours, entry);
      else this.#onlyThere(entry, ONLY_THERE[entry.kind]);
    }
  }

  #compare(ours: OurEntry, entry: StatementEntry): void {
    const key = keyOf(ours);
    const other = this.#seen.get(key) ?? this.#seenBefore.get(key);
    if (other !== undefined) {
      if (other !== entry.object.id) this.#onlyThere(entry, MADE_TWICE, ours);
      return;
    }
    this.#seen.set(key, entry.object.id);
    this.#missing.delete(key);
    // Only the file mentions it: it is not in our list of this period.
    if (this.#input.filed && this.#isWithin(entry.created_at) && !this.#isWithin(ours.created_at)) this.#count(ours);
    // An entry is judged in the run that covers its own time or ours.
    if (ours.under_way || !(this.#isWithin(ours.created_at) || this.#isWithin(entry.created_at))) return;
    const judgement = judge(ours, entry);
    if (judgement.kind === "same") return;
    this.#report({
      kind: judgement.kind,
      advice: judgement.advice,
      object: ours.kind,
      at: ours.created_at,
      here: ourText(ours),
      there: listedText(entry),
      ...this.#idsOf(ours),
      ...this.#objectOf(entry.object),
    });
  }

  #onlyThere(entry: StatementEntry, advice: string, like: OurEntry | null = null): void {
    if (!this.#isWithin(entry.created_at) || !movesMoney(entry)) return;
    if (entry.created_at >= this.#of.quietSince) {
      this.#findings.under_way += 1;
      return;
    }
    this.#report({
      kind: "only_there",
      advice,
      object: entry.kind,
      at: entry.created_at.toISOString(),
      here: like && ourText(like),
      there: listedText(entry),
      ...(like ? this.#idsOf(like) : { payment_id: null, transaction_id: null }),
      ...this.#objectOf(entry.object),
    });
  }

  async *#listOurs(range: IdRange): AsyncGenerator<OurEntry> {
    for (const environmentId of this.#input.environmentIds) {
      for (const list of [listOurPayments, listOurRefunds]) {
        for (let { from } = range; ; ) {
          const rows = await list(this.#sql, this.#of, environmentId, { from, before: range.before }, CHUNK);
          yield* rows;
          const last = rows.at(-1);
          if (!last || rows.length < CHUNK) break;
          from = after(last.id);
        }
      }
    }
  }

  #count(ours: OurEntry): void {
    if (ours.under_way) this.#findings.under_way += 1;
    else if (ours.kind === "payment") this.#findings.payments += 1;
    else this.#findings.refunds += 1;
  }

  #note(ours: OurEntry): void {
    this.#count(ours);
    const key = keyOf(ours);
    if (ours.under_way || !mustBeThere(ours) || this.#seen.has(key) || this.#seenBefore.has(key)) return;
    if (this.#missing.size < MAX_DIFFERENCES) this.#missing.set(key, ours);
    else this.#missingBeyond += 1;
  }

  /** An entry made at the end of a period may be listed in neither, so its status is checked. */
  async #checkMissing(): Promise<void> {
    let unclear = 0;
    for (const [index, ours] of [...this.#missing.values()].entries()) {
      this.#input.signal?.throwIfAborted();
      const is = index < MAX_STATUS_CHECKS ? await this.#isThere(ours) : "no";
      if (is === "unclear") unclear += 1;
      if (is === "no") this.#onlyHere(ours);
    }
    this.#findings.difference_count += this.#missingBeyond;
    if (unclear > 0)
      this.#unchecked.push(
        `${this.#input.label} does not list ${unclear} of Cardlane's payments and refunds, and gave no clear response about them.`,
      );
  }

  #onlyHere(ours: OurEntry): void {
    this.#report({
      kind: "only_here",
      advice: ONLY_HERE[ours.kind],
      object: ours.kind,
      at: ours.created_at,
      here: ourText(ours),
      there: null,
      ...this.#idsOf(ours),
      ...this.#objectOf(ours.object_id === null ? null : { kind: ours.object_kind ?? ours.kind, id: ours.object_id }),
    });
  }

  async #isThere(ours: OurEntry): Promise<"yes" | "no" | "unclear"> {
    const kind = ours.kind === "refund" ? "refund" : "authorize";
    const operation = {
      id: ours.reference,
      environmentId: ours.environment_id,
      paymentId: ours.payment_id,
      kind,
    } as const;
    const { processor } = this.#input;
    const inquiry: Inquiry = await inquireProcessor(this.#service, processor, operation, ours.authorization);
    switch (inquiry.kind) {
      case "approved":
      case "pending":
      case "action_required":
        return "yes";
      // A void leaves no authorization, and a decline moved no money.
      case "declined":
        return ours.kind === "payment" && ours.state === "VOIDED" ? "yes" : "no";
      case "not_found":
      case "never":
        return "no";
      case "not_sent":
      case "unknown":
        return "unclear";
      default:
        return inquiry satisfies never;
    }
  }

  #isWithin(at: string | Date): boolean {
    const time = new Date(at);
    return time >= this.#input.since && time < this.#input.until;
  }

  #idsOf({ payment_id, transaction_id }: OurEntry) {
    return { payment_id: encodeId("payment", payment_id), transaction_id: encodeId("transaction", transaction_id) };
  }

  #objectOf(object: ProcessorObject | null) {
    const url = object && (this.#input.processor.dashboardUrl?.(object) ?? null);
    return { processor_object: object, url };
  }

  #report(difference: Difference): void {
    this.#findings.difference_count += 1;
    if (this.#differences.length < MAX_DIFFERENCES) this.#differences.push(difference);
  }

  #result(): Findings {
    const differences = this.#differences.toSorted((a, b) => (a.at < b.at ? -1 : 1));
    return { ...this.#findings, differences, unchecked: this.#unchecked };
  }
}

const keyOf = ({ kind, id }: OurEntry) => `${kind} ${id}`;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const isUuid = (text: string | null): text is string => text !== null && UUID.test(text);

/** The next id. */
const after = (uuid: string): string =>
  (BigInt(`0x${uuid.replaceAll("-", "")}`) + 1n)
    .toString(16)
    .padStart(32, "0")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
