import {
  type FiledStatement,
  type PaymentPart,
  type StatementEntry,
  type StatementFile,
  UnreadableStatementError,
} from "../records";
import { type ReportRow, readRows } from "./accounting-rows";

/*
 * Adyen's Payment accounting report as a list of payments and refunds. Each line moves an amount of one payment between Adyen's
 * registers; `Main Amount` has fees in it once money is paid out, so amounts are those of the payment's own registers.
 */

/** The effect of a record type on a payment or refund. */
type Meaning =
  | "begins"
  | "authorises"
  | "ends"
  | "releases"
  | "captures"
  | "uncaptures"
  | "settles"
  | "refunds"
  | "pays back"
  | "returns"
  | "disputes"
  | "nothing";

/** By record type. Unknown types are counted and listed in the comparison. */
const RECORD_TYPES: Readonly<Record<string, Meaning>> = {
  Received: "begins",
  Authorised: "authorises",
  AuthorisedPending: "nothing",
  Retried: "nothing",
  Refused: "ends",
  Error: "ends",
  Cancelled: "releases",
  Expired: "releases",
  SettleScheduled: "nothing",
  SentForSettle: "captures",
  CaptureFailed: "uncaptures",
  Settled: "settles",
  SettledExternally: "settles",
  SettledExternallyWithInfo: "settles",
  SentForRefund: "refunds",
  Refunded: "pays back",
  RefundedExternally: "pays back",
  RefundedExternallyWithInfo: "pays back",
  RefundFailed: "returns",
  RefundedReversed: "returns",
  RequestForInformation: "disputes",
  NotificationOfChargeback: "disputes",
  Chargeback: "disputes",
  ChargebackExternally: "disputes",
  ChargebackExternallyWithInfo: "disputes",
  ChargebackReversed: "disputes",
  ChargebackReversedExternallyWithInfo: "disputes",
  SecondChargeback: "disputes",
};

type Payment = {
  readonly psp: string;
  readonly reference: string;
  readonly currency: string;
  readonly at: Date;
  received: number | null;
  authorised: number | null;
  ended: boolean;
  released: boolean;
  /** A capture or its failure is in the report. */
  moved: boolean;
  captured: number;
  settled: number;
  /** A movement has no amount, or its kind is unclear. */
  unclear: boolean;
};

type Refund = {
  readonly psp: string;
  readonly id: string;
  readonly reference: string;
  readonly currency: string;
  readonly at: Date;
  amount: number | null;
  state: "pending" | "succeeded" | "failed";
};

/**
 * Throws UnreadableStatementError for files that are not a report of this merchant account, or that leave out
 * days.
 */
export function readAccountingReport(files: readonly StatementFile[], merchantAccount: string): FiledStatement {
  const all = files.map((file) => ({ name: file.name, rows: readRows(file, merchantAccount) }));
  const read = all.map(({ rows }) => rows).filter((rows) => rows.length > 0);
  if (read.length === 0)
    throw new UnreadableStatementError("The report has no line below its first: no payment was made or changed then.");
  requireDaysInARow(
    read,
    all.filter(({ rows }) => rows.length === 0).map(({ name }) => name),
  );
  const rows = onceEach(read).toSorted((a, b) => a.at.getTime() - b.at.getTime());
  const book = new Book();
  for (const row of rows) book.take(row);
  const entries = book.entries();
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) throw new Error("files with lines have a first and a last one");
  return {
    entries: entries.toSorted((a, b) => a.created_at.getTime() - b.created_at.getTime()),
    from: first.at,
    until: new Date(last.at.getTime() + 1_000),
    // A report may be generated without some record types.
    complete: rows.some(({ type }) => type === "Authorised") && !book.isUnclear(),
    unchecked: book.unchecked(),
  };
}

/**
 * File name of a daily report, with any browser suffix. A report over a custom range has two dates in its
 * name.
 */
const DAILY_NAME = /payments_accounting_report_(\d{4})_(\d{2})_(\d{2})(?![\d_])/;
const DAY_MS = 24 * 60 * 60_000;

/**
 * A missing day would make its payments look missing. An empty file only covers the day in its name;
 * otherwise it could hide another day that is missing.
 */
function requireDaysInARow(files: readonly (readonly ReportRow[])[], empty: readonly string[]): void {
  const named = empty.map((name) => DAILY_NAME.exec(name)?.slice(1).join("-"));
  const dayAfter = (day: string) => new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
  const spans = files
    .map((rows) => rows.map(({ day }) => day).toSorted())
    .map((days) => ({ first: days[0] ?? "", last: days.at(-1) ?? "" }))
    .toSorted((a, b) => (a.first < b.first ? -1 : 1));
  let end = spans[0]?.last ?? "";
  for (const { first, last } of spans) {
    while (named.includes(dayAfter(end))) end = dayAfter(end);
    if (Date.parse(first) - Date.parse(end) > DAY_MS) {
      const nameless = empty.find((_, at) => named[at] === undefined);
      throw new UnreadableStatementError(
        `The files have nothing between ${end} and ${first}. Give those of the days between as well, or one report over the whole time.${
          nameless === undefined
            ? ""
            : ` ${nameless} has no line below its first, and counts for a day only under Adyen's own name of it, such as payments_accounting_report_2026_11_20.csv.`
        }`,
      );
    }
    if (last > end) end = last;
  }
}

/**
 * Files may overlap. Each file has a line as often as it happened, so the max count in any one file is the
 * number of equal lines. Lines are equal at the same instant, which reports in two time zones may show on two
 * days.
 */
function onceEach(files: readonly (readonly ReportRow[])[]): readonly ReportRow[] {
  if (files.length === 1) return files.flat();
  const taken = new Map<string, number>();
  return files.flatMap((rows) => {
    const here = new Map<string, number>();
    return rows.filter(({ day: _, ...row }) => {
      const key = JSON.stringify(row);
      const count = (here.get(key) ?? 0) + 1;
      here.set(key, count);
      if (count <= (taken.get(key) ?? 0)) return false;
      taken.set(key, count);
      return true;
    });
  });
}

class Book {
  readonly #payments = new Map<string, Payment>();
  readonly #refunds = new Map<string, Refund>();
  readonly #unknownTypes = new Map<string, number>();
  #ofNoPayment = 0;
  #otherCurrencies = 0;
  #disputes = 0;
  #withoutAmount = 0;
  #unnamedRefunds = 0;

  take(row: ReportRow): void {
    if (row.psp === "") {
      this.#ofNoPayment += 1;
      return;
    }
    const meaning = Object.hasOwn(RECORD_TYPES, row.type) ? RECORD_TYPES[row.type] : undefined;
    if (meaning === undefined) {
      const name = /^[A-Za-z]{1,50}$/.test(row.type) ? row.type : "one without a readable name";
      this.#unknownTypes.set(name, (this.#unknownTypes.get(name) ?? 0) + 1);
    } else if (meaning === "disputes") this.#disputes += 1;
    else if (meaning !== "nothing" && row.currency === null) this.#otherCurrencies += 1;
    else if (meaning !== "nothing") this.#move(meaning, row, row.currency as string);
  }

  #move(meaning: Exclude<Meaning, "disputes" | "nothing">, row: ReportRow, currency: string): void {
    switch (meaning) {
      case "begins":
      case "ends":
      case "authorises": {
        const payment = this.#payment(row, currency);
        const amount = sizeOf(row, meaning === "authorises" ? "authorised" : "received");
        if (meaning === "authorises") payment.authorised ??= amount;
        else payment.received ??= amount;
        payment.ended ||= meaning === "ends";
        return;
      }
      case "releases":
        this.#payment(row, currency).released = true;
        return;
      case "captures":
      case "uncaptures": {
        const amount = sizeOf(row, "captured");
        const payment = this.#payment(row, currency);
        payment.moved = true;
        if (amount === null) this.#markUnclear(payment);
        else payment.captured += meaning === "captures" ? amount : -amount;
        return;
      }
      case "settles":
        this.#payment(row, currency).settled += Math.abs(row.registers.captured ?? 0);
        return;
      case "refunds":
      case "pays back":
      case "returns":
        this.#refund(meaning, row, currency);
        return;
      default:
        meaning satisfies never;
    }
  }

  #payment({ psp, reference, at }: ReportRow, currency: string): Payment {
    const known = this.#payments.get(psp);
    if (known) return known;
    const payment: Payment = {
      psp,
      reference,
      currency,
      at,
      received: null,
      authorised: null,
      ended: false,
      released: false,
      moved: false,
      captured: 0,
      settled: 0,
      unclear: false,
    };
    this.#payments.set(psp, payment);
    return payment;
  }

  #refund(meaning: "refunds" | "pays back" | "returns", row: ReportRow, currency: string): void {
    const { psp, at, modification: id, modificationReference: reference } = row;
    if (!/^[A-Za-z0-9]{1,40}$/.test(id)) {
      this.#unnamedRefunds += 1;
      this.#payment(row, currency).unclear = true;
      return;
    }
    const key = `${psp} ${id}`;
    const refund: Refund = this.#refunds.get(key) ?? {
      psp,
      id,
      reference,
      currency,
      at,
      amount: null,
      state: "pending",
    };
    this.#refunds.set(key, refund);
    refund.amount ??= meaning === "pays back" ? absolute(row.registers.captured) : sizeOf(row, "captured");
    refund.state = meaning === "refunds" ? "pending" : meaning === "pays back" ? "succeeded" : "failed";
  }

  #markUnclear(payment: Payment | undefined): void {
    this.#withoutAmount += 1;
    if (payment) payment.unclear = true;
  }

  /** Part of the report can't be read, so none of our payments can be reported as missing. */
  isUnclear(): boolean {
    return this.#withoutAmount + this.#unnamedRefunds + this.#ofNoPayment > 0;
  }

  entries(): StatementEntry[] {
    const refunded = new Map<string, number>();
    const refunds = [...this.#refunds.values()].flatMap((refund): StatementEntry[] => {
      const { psp, id, reference, currency, at, amount, state } = refund;
      if (amount === null) {
        this.#markUnclear(this.#payments.get(psp));
        return [];
      }
      if (state !== "failed") refunded.set(psp, (refunded.get(psp) ?? 0) + amount);
      const object = { kind: "refund", id };
      return [{ kind: "refund", object, reference, created_at: at, amount, currency, state, payment: psp }];
    });
    const payments = [...this.#payments.values()].map((payment) => entryOf(payment, refunded.get(payment.psp) ?? 0));
    return [...payments, ...refunds];
  }

  unchecked(): string[] {
    const types = [...this.#unknownTypes].map(([name, count]) => `${name} (${count})`).toSorted();
    return [
      ...(types.length > 0 ? [`The report has record types that Cardlane does not know: ${types.join(", ")}.`] : []),
      ...lines(this.#disputes, "are about chargebacks, which are on their payments and in no comparison"),
      ...lines(this.#otherCurrencies, "are in currencies that Cardlane does not know"),
      ...lines(this.#ofNoPayment, "have no Psp Reference, so nobody can tell which payment is meant"),
      ...lines(this.#withoutAmount, "have no amount in the payment's own currency"),
      ...lines(this.#unnamedRefunds, "are about refunds and have no Modification Psp Reference to tell them apart"),
    ];
  }
}

const lines = (count: number, what: string) => (count > 0 ? [`Lines of the report that ${what}: ${count}.`] : []);

function entryOf(payment: Payment, refunded: number): StatementEntry {
  const { psp, reference, currency, at, moved, settled, released, unclear } = payment;
  const known = payment.received ?? payment.authorised;
  // Settled money was captured, even without a capture line.
  const captured = Math.max(0, moved ? payment.captured : settled);
  const common = { object: { kind: "payment", id: psp }, reference, created_at: at, currency, captured, refunded };
  const state = stateOf(payment, captured);
  if (known !== null && !unclear) return { kind: "payment", ...common, amount: known, state };
  const part: PaymentPart = unclear
    ? { captured: 0, settled: 0, released: false }
    : { captured: payment.captured, settled, released };
  const amount = Math.max(Math.abs(part.captured), part.settled);
  return { kind: "payment", ...common, amount, state, part };
}

function stateOf({ authorised, ended, released }: Payment, captured: number) {
  if (captured > 0) return "captured";
  if (released) return "voided";
  if (authorised !== null) return "authorized";
  return ended ? "declined" : "pending";
}

const absolute = (amount: number | null) => (amount === null ? null : Math.abs(amount));

/** Amount that a line moves in or out of a register; null if the report doesn't have it. */
const sizeOf = ({ registers, main }: ReportRow, register: "received" | "authorised" | "captured") =>
  absolute(registers[register] ?? main);
