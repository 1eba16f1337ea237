import { isDatabaseUnavailable } from "@/db/unavailable";
import { countJobFailure } from "@/lib/counts";
import type { Service } from "@/lib/domain/context";

/** Work that answers how much it did, so that a backlog is worked off without pauses. What takes long begins nothing more once it is to stop. */
type Work = (stopping: AbortSignal) => Promise<number>;

/** Repeats a job every `intervalMs`, never two at a time, and again at once after work was found. A failure is logged and tried again. */
export function repeat(service: Service, name: string, intervalMs: number, work: Work): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  const run = async () => {
    let nextMs = intervalMs;
    try {
      if ((await work(stopping.signal)) > 0) nextMs = Math.min(intervalMs, 100);
    } catch (error) {
      if (isDatabaseUnavailable(error)) service.log.warn({ job: name }, "the database is unavailable, the job waits");
      else {
        countJobFailure(name);
        service.log.error({ err: error, job: name }, "a job failed and is tried again");
      }
    }
    if (!stopping.signal.aborted) schedule(nextMs);
  };
  const schedule = (delayMs: number) => {
    timer = setTimeout(() => {
      running = run();
    }, delayMs);
    timer.unref();
  };
  schedule(0);
  return {
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
