/** A reader that asks for nothing for this long has gone, whatever its connection says. */
const STALL_MS = 60_000;
/** And one that always asks a little before that has its place for no longer than this. */
const DEADLINE_MS = 15 * 60_000;

export type ExportSource = {
  /** Text as it is to be sent; throws when it cannot be finished. */
  readonly parts: AsyncGenerator<string, void>;
  /** Called once, however it ends. */
  close(): void;
  /** Aborted when the client goes away, even before anything was sent, when nobody would cancel the body, or is cut off. */
  readonly signal?: AbortSignal;
  /** Told of each part that was taken, in bytes. */
  sent?(bytes: number): void;
  /** Told of what went wrong after the first byte, when no error answer can be sent any more. */
  failed(error: unknown): void;
};

/**
 * A body that is read as fast as it is taken, one part ahead. When the source fails the connection is cut, so that half an
 * export never looks like a whole one.
 */
export function exportStream(
  { parts, close, failed, signal, sent }: ExportSource,
  { stallMs = STALL_MS, deadlineMs = DEADLINE_MS }: { stallMs?: number; deadlineMs?: number } = {},
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let stalled: ReturnType<typeof setTimeout> | undefined;
  let late: ReturnType<typeof setTimeout> | undefined;
  let ended = false;
  const end = () => {
    clearTimeout(stalled);
    clearTimeout(late);
    if (ended) return;
    ended = true;
    // First the reading ends, then what it stood on is given back.
    void parts.return().then(close, close);
  };
  const giveUpAfter = (controller: ReadableStreamDefaultController, ms: number, reason: string) =>
    setTimeout(() => {
      controller.error(new Error(reason));
      end();
    }, ms).unref();
  signal?.addEventListener("abort", end, { once: true });
  if (signal?.aborted) end();
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        signal?.addEventListener("abort", () => controller.error(new Error("the export was cut off")), { once: true });
        if (!ended) late = giveUpAfter(controller, deadlineMs, "the export took too long");
      },
      async pull(controller) {
        clearTimeout(stalled);
        try {
          const { done, value } = await parts.next();
          if (ended) return;
          if (done) {
            controller.close();
            end();
            return;
          }
          const bytes = encoder.encode(value);
          controller.enqueue(bytes);
          sent?.(bytes.length);
          stalled = giveUpAfter(controller, stallMs, "nobody reads the export any more");
        } catch (error) {
          if (ended) return;
          failed(error);
          controller.error(error);
          end();
        }
      },
      cancel: end,
    },
    { highWaterMark: 1 },
  );
}
