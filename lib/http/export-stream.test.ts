import { describe, expect, test, vi } from "vitest";
import { exportStream } from "./export";

async function* counted(upTo: number, seen: { read: number }): AsyncGenerator<string, void> {
  for (let i = 1; i <= upTo; i++) {
    seen.read = i;
    yield `${i}\n`;
  }
}

const settings = () => ({ close: vi.fn<() => void>(), failed: vi.fn<(error: unknown) => void>() });

describe("the stream of an export", () => {
  test("has every part, and closes once", async () => {
    const { close, failed } = settings();
    const text = await new Response(exportStream({ parts: counted(3, { read: 0 }), close, failed })).text();
    expect(text).toBe("1\n2\n3\n");
    await expect.poll(() => close.mock.calls.length).toBe(1);
    expect(failed).not.toHaveBeenCalled();
  });

  test("reads no further than it is consumed", async () => {
    const seen = { read: 0 };
    const reader = exportStream({ parts: counted(1_000, seen), ...settings() }).getReader();
    await reader.read();
    await reader.read();
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen.read).toBeLessThanOrEqual(4);
    await reader.cancel();
  });

  test("one that is cut off fails for its reader, so that a part never looks like the whole", async () => {
    const { close, failed } = settings();
    const cut = new AbortController();
    const sent = vi.fn<(bytes: number) => void>();
    const parts = counted(1_000, { read: 0 });
    const reader = exportStream({ parts, close, failed, signal: cut.signal, sent }).getReader();
    await reader.read();
    cut.abort();
    await expect(reader.read()).rejects.toThrow("the export was cut off");
    await expect.poll(() => close.mock.calls.length).toBe(1);
    expect(sent).toHaveBeenCalledWith(2);
  });

  test("one that is cut off before it began fails for its client, too, and blocks no other", async () => {
    const { close, failed } = settings();
    const reader = exportStream({
      parts: counted(3, { read: 0 }),
      close,
      failed,
      signal: AbortSignal.abort(),
    }).getReader();
    await expect(reader.read()).rejects.toThrow("the export was cut off");
    await expect.poll(() => close.mock.calls.length).toBe(1);
  });

  test("a client that disconnects ends the reading", async () => {
    const seen = { read: 0 };
    const { close, failed } = settings();
    const reader = exportStream({ parts: counted(1_000, seen), close, failed }).getReader();
    await reader.read();
    await reader.cancel();
    await expect.poll(() => close.mock.calls.length).toBe(1);
    expect(seen.read).toBeLessThan(10);
  });

  test("a client that disconnects before reading anything releases its slot", async () => {
    const { close, failed } = settings();
    const gone = new AbortController();
    const stream = exportStream({ parts: counted(1_000, { read: 0 }), close, failed, signal: gone.signal });
    gone.abort();
    await expect.poll(() => close.mock.calls.length).toBe(1);
    expect(stream.locked).toBe(false);
    expect(failed).not.toHaveBeenCalled();
  });

  test("a failure midway is an error of the body, never its end", async () => {
    const { close, failed } = settings();
    async function* broken(): AsyncGenerator<string, void> {
      yield "1\n";
      throw new Error("the database went away");
    }
    const response = new Response(exportStream({ parts: broken(), close, failed }));
    await expect(response.text()).rejects.toThrow("the database went away");
    expect(failed).toHaveBeenCalledOnce();
    await expect.poll(() => close.mock.calls.length).toBe(1);
  });

  test("a client that is too slow loses its slot in the end, however steadily it reads", async () => {
    const { close, failed } = settings();
    const limits = { stallMs: 10_000, deadlineMs: 50 };
    const reader = exportStream({ parts: counted(1_000_000, { read: 0 }), close, failed }, limits).getReader();
    const readOn = async () => {
      for (;;) {
        await reader.read();
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await expect(readOn()).rejects.toThrow("took too long");
    await expect.poll(() => close.mock.calls.length).toBe(1);
  });

  test("a client that stops reading loses its slot", async () => {
    const { close, failed } = settings();
    const reader = exportStream({ parts: counted(1_000, { read: 0 }), close, failed }, { stallMs: 10 }).getReader();
    await reader.read();
    await expect.poll(() => close.mock.calls.length).toBe(1);
    await expect(reader.read().then(() => reader.read())).rejects.toThrow("nobody reads");
  });
});
