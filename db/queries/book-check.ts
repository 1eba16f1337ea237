/** One rule of the books. `sql` selects every row that breaks it, and takes no parameters. */
export type BookCheck = {
  readonly check: string;
  /** What an empty result proves, in a sentence. */
  readonly proves: string;
  readonly sql: string;
};
