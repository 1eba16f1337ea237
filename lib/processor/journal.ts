/** JSON values by name. */
type Facts = Readonly<Record<string, unknown>>;

/**
 * Facts that a connector must remember because its processor can't return them: requests, responses and
 * messages. A fact never changes, and every process sees it once `note` resolves. No card data.
 */
export type Journal = {
  /** Stores a fact; returns the stored value, which is this one or an earlier one of that name. */
  note<T>(subject: string, name: string, value: T): Promise<T>;
  of(subject: string): Promise<Facts>;
  /** Subjects that have a fact of this name from before `than`, oldest first. */
  older(name: string, than: Date, limit: number): Promise<string[]>;
  forget(subject: string): Promise<void>;
};
