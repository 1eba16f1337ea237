/** The time, passed in so that tests can choose it. What must agree between processes uses the database's `now()` instead. */
export type Clock = { now(): Date };

export const systemClock: Clock = { now: () => new Date() };
