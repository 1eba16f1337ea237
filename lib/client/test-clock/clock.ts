/** An environment's test clock relative to real time; null = real time. */
export type ClientClock = { readonly offsetMs: number; readonly frozenAt: string | null } | null;

/** The environment's time at a given real time, in milliseconds since 1970. */
export const clockMs = (clock: ClientClock, realMs: number): number =>
  clock === null ? realMs : clock.frozenAt === null ? realMs + clock.offsetMs : Date.parse(clock.frozenAt);
