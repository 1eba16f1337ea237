import postgres from "postgres";
import type { Sql } from "./client";
import { remember } from "./statements";
import { isDatabaseUnavailable } from "./unavailable";

/** More rows in one statement would only let rows that arrive during it wait longer. */
const MOST_ROWS = 16;
/** A row that waits for a lock must not keep the others from going for longer. */
const SLOW_MS = 50;

/** How a pause is made. */
export type Pauses = { wait(ms: number): Promise<void> };

export type Together<Row, Answer> = {
  /** Writes rows in one statement. An answer that is undefined: that row was not written, and has to go alone. */
  readonly send: (rows: readonly Row[]) => Promise<readonly (Answer | undefined)[]>;
  readonly alone: (row: Row) => Promise<Answer>;
  /** What only one row of a statement may be about. */
  readonly subjectsOf: (row: Row) => readonly string[];
};

type Waiter<Row, Answer> = {
  readonly row: Row;
  readonly subjects: readonly string[];
  readonly resolve: (answer: Answer | Promise<Answer>) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Sends rows that arrive together in one statement. A row goes at once unless a statement is under way, and then with all that
 * wait; it never waits for company. Two statements at a time would make smaller batches, which costs the database a fifth more
 * per row. A row that cannot be written with the others is sent alone, and neither fails nor delays them.
 */
export function inBatches<Row, Answer>({ send, alone, subjectsOf }: Together<Row, Answer>, timer: Pauses) {
  const waiting: Waiter<Row, Answer>[] = [];
  let isUnderWay = false;

  function take(): Waiter<Row, Answer>[] {
    const taken: Waiter<Row, Answer>[] = [];
    const subjects = new Set<string>();
    for (let i = 0; i < waiting.length && taken.length < MOST_ROWS; ) {
      const waiter = waiting[i] as Waiter<Row, Answer>;
      if (waiter.subjects.some((subject) => subjects.has(subject))) {
        i++;
        continue;
      }
      for (const subject of waiter.subjects) subjects.add(subject);
      taken.push(waiter);
      waiting.splice(i, 1);
    }
    return taken;
  }

  async function write(rows: readonly Waiter<Row, Answer>[]): Promise<void> {
    const [only] = rows;
    if (rows.length === 1 && only) {
      await alone(only.row).then(only.resolve, only.reject);
      return;
    }
    let answers: readonly (Answer | undefined)[] = [];
    try {
      answers = await send(rows.map(({ row }) => row));
    } catch (error) {
      // What the server refused was undone as a whole. Any other failure is unknown: each caller gets it.
      if (!(error instanceof postgres.PostgresError) || isDatabaseUnavailable(error)) {
        for (const { reject } of rows) reject(error);
        return;
      }
    }
    for (const [i, { row, resolve }] of rows.entries()) {
      const answer = answers[i];
      resolve(answer === undefined ? alone(row) : answer);
    }
  }

  function pump(): void {
    if (isUnderWay) return;
    const rows = take();
    if (rows.length === 0) return;
    isUnderWay = true;
    // A row that waits for a lock frees its place, and no longer holds up rows with the same subject.
    void Promise.race([write(rows), timer.wait(SLOW_MS)]).finally(() => {
      isUnderWay = false;
      pump();
    });
  }

  return (row: Row): Promise<Answer> =>
    new Promise((resolve, reject) => {
      waiting.push({ row, subjects: subjectsOf(row), resolve, reject });
      pump();
    });
}

/** Where look-ups that meet are sent from. */
export type LookUps = { readonly db: { within(environmentId: string): { readonly sql: Sql } }; readonly timer: Pauses };

/**
 * Look-ups by key in one environment: those that arrive together share a statement, which begins after the last of them was
 * requested, so that each sees what was committed before it. `find` returns the existing rows in any order.
 */
export function lookUps<Row>(
  find: (sql: Sql, environmentId: string, keys: readonly string[]) => Promise<readonly Row[]>,
  keyOf: (row: Row) => string,
): (from: LookUps, environmentId: string, key: string) => Promise<Row | null> {
  const batchesOf = perEnvironment((sql, environmentId, timer) => {
    const findAll = async (keys: readonly string[]) => {
      const found = new Map((await find(sql, environmentId, keys)).map((row) => [keyOf(row), row]));
      return keys.map((key) => found.get(key) ?? null);
    };
    const alone = async (key: string) => (await findAll([key]))[0] ?? null;
    return inBatches<string, Row | null>({ send: findAll, alone, subjectsOf: () => [] }, timer);
  });
  return ({ db, timer }, environmentId, key) => batchesOf(db.within(environmentId).sql, environmentId, timer)(key);
}

/** Created once for each environment whose statements go through a pool. */
export function perEnvironment<T>(
  make: (sql: Sql, environmentId: string, timer: Pauses) => T,
): (sql: Sql, environmentId: string, timer: Pauses) => T {
  const made = new WeakMap<Sql, (environmentId: string) => T>();
  return (sql, environmentId, timer) => {
    const known = made.get(sql) ?? remember((id: string) => make(sql, id, timer));
    made.set(sql, known);
    return known(environmentId);
  };
}
