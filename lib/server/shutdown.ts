/** Limit per step, for an unresponsive database; orchestrators rarely wait longer than two of these. */
const STEP_LIMIT_MS = 15_000;

type Step = { name: string; run: () => Promise<void>; limitMs: number };

/**
 * Runs shutdown steps in reverse order on SIGINT, SIGTERM or a failed start. A second signal exits
 * immediately, and a step that exceeds its limit is abandoned; the next start recovers what is left.
 */
export class Shutdown {
  readonly #steps: Step[] = [];
  readonly #stopping = new AbortController();
  #done: Promise<void> | null = null;
  readonly #onError: (name: string, error: unknown) => void;

  constructor(onError: (name: string, error: unknown) => void) {
    this.#onError = onError;
  }

  /** Aborted when the shutdown begins. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  add(name: string, run: () => Promise<void>, limitMs = STEP_LIMIT_MS): void {
    this.#steps.push({ name, run, limitMs });
  }

  run(): Promise<void> {
    this.#stopping.abort();
    this.#done ??= this.#runSteps();
    return this.#done;
  }

  async #runSteps(): Promise<void> {
    // Steps may be added during the shutdown, because the start-up checks the signal only between steps.
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      try {
        await withinLimit(step.run(), step.limitMs);
      } catch (error) {
        this.#onError(step.name, error);
      }
    }
  }

  /** Calls `onStop` at the first signal. */
  listen(onStop: () => void): void {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.on(signal, () => {
        if (this.signal.aborted) process.exit(signal === "SIGINT" ? 130 : 143);
        onStop();
      });
    }
  }
}

async function withinLimit(work: Promise<void>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took more than ${limitMs / 1_000} s`)), limitMs);
  });
  try {
    await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
