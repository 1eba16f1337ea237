/** One rule of the books. `sql` selects every row that breaks it, and takes no parameters. */
export type BookCheck = {
  readonly check: string;
  /** What an empty result proves, in a sentence. */
  readonly proves: string;
  readonly sql: string;
  /** Whether it counts for test data that is being removed, too, where the rest of the books has gaps. */
  readonly evenAbandoned?: true;
};

/**
 * Whether operation `o` of payment `p` took the money: a capture, or an authorization that was to capture at once, unless
 * the processor could only hold the money.
 */
export const TOOK_THE_MONEY = `(o.state = 'succeeded' and (o.kind = 'capture'
  or (o.kind in ('authorize', 'continue') and p.capture_method = 'automatic' and o.captured)))`;
