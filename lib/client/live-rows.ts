/** What a list shows while its answers keep coming in. Ids sort by the time they were made. */
export type LiveRows<Row extends { id: string }> = {
  /** The question that the rows answer. */
  readonly key: string;
  readonly rows: readonly Row[];
  /** Rows that came in while the list was looked at, to be pointed out. */
  readonly fresh: ReadonlySet<string>;
  /** The answer that this was made from. */
  readonly answer: readonly Row[];
};

const NONE: ReadonlySet<string> = new Set();

export function firstRows<Row extends { id: string }>(key: string, answer: readonly Row[]): LiveRows<Row> {
  return { key, rows: answer, fresh: NONE, answer };
}

/**
 * What to show after an answer: the answer itself, or, while `hold` says that somebody points at a row, the same rows in
 * the same places, each as it is now. Gives `shown` back when nothing changes.
 */
export function settleRows<Row extends { id: string }>(
  shown: LiveRows<Row>,
  next: { key: string; answer: readonly Row[]; hold: boolean },
): LiveRows<Row> {
  const { key, answer, hold } = next;
  if (key !== shown.key) return firstRows(key, answer);
  if (hold && shown.rows.length > 0) {
    if (answer === shown.answer) return shown;
    const now = new Map(answer.map((row) => [row.id, row]));
    const rows = shown.rows.map((row) => now.get(row.id) ?? row);
    const same = rows.every((row, index) => row === shown.rows[index]);
    return { key, rows: same ? shown.rows : rows, fresh: shown.fresh, answer };
  }
  if (answer === shown.rows) return answer === shown.answer ? shown : { ...shown, answer };
  const arrived = answer.filter((row) => isNewerThanAll(row, shown.rows)).map((row) => row.id);
  return { key, rows: answer, fresh: arrived.length > 0 ? new Set(arrived) : NONE, answer };
}

/** What the answer has that is not shown yet: how many new rows, and whether rows came, went or moved at all. */
export function waitingRows<Row extends { id: string }>(shown: LiveRows<Row>): { added: number; changed: boolean } {
  const { rows, answer } = shown;
  const added = answer.filter((row) => isNewerThanAll(row, rows)).length;
  const known = answer.slice(0, rows.length);
  return { added, changed: rows.length > answer.length || known.some((row, index) => row.id !== rows[index]?.id) };
}

function isNewerThanAll(row: { id: string }, rows: readonly { id: string }[]): boolean {
  return rows.every((other) => row.id > other.id);
}
