/** A rule of the books. `sql` selects every row that breaks it, and takes no parameters. */
export type BookCheck = {
  readonly check: string;
  /** A sentence: the guarantee that an empty result proves. */
  readonly proves: string;
  readonly sql: string;
  /** Also applies to test data that is being removed, for which other rules are skipped. */
  readonly evenAbandoned?: true;
};

/**
 * SQL condition: operation `o` of payment `p` moved the money: a capture, or an authorization with immediate
 * capture, unless the processor could only hold the money.
 */
export const TOOK_THE_MONEY = `(o.state = 'succeeded' and (o.kind = 'capture'
  or (o.kind in ('authorize', 'continue') and p.capture_method = 'automatic' and o.captured)))`;
