/** Against a database that is silent: the orchestrator's own patience is rarely longer than two of these. */
const STEP_LIMIT_MS = 15_000;

type Step = { name: string; run: () => Promise<void>; limitMs: number };

/**
 * What has been started, to be ended in reverse order on SIGINT, SIGTERM or a failed start. A second signal ends the
 * process at once, and a step that does not end is left behind; whatever is left then recovers at the next start.
 */
export class Shutdown {
  readonly #steps: Step[] = [];
  readonly #stopping = new AbortController();
  #done: Promise<void> | null = null;
  readonly #onError: (name: string, error: unknown) => void;

  constructor(onError: (name: string, error: unknown) => void) {
    this.#onError = onError;
  }

  /** Aborted as soon as the process is to end. */
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
    // A step may be added while the others end: the start-up notices the signal only at its next step.
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
