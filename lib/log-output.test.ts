import { expect, test, vi } from "vitest";
import { CARD_NUMBER_MARK } from "./contract/card-numbers";
import { logConsole, maskStream } from "./log-output";

const NUMBER = "4242424242424242";

function testStream() {
  const pieces: (string | Uint8Array)[] = [];
  const stream = {
    write(chunk: string | Uint8Array, _encoding?: unknown, done?: (error?: Error | null) => void) {
      pieces.push(chunk);
      done?.();
      return true;
    },
  };
  maskStream(stream as never);
  return { stream, text: () => Buffer.concat(pieces.map((piece) => Buffer.from(piece))).toString("utf8") };
}

test("a card number is masked in text and in bytes, and everything else is unchanged", () => {
  const { stream, text } = testStream();
  stream.write(`Error: Failed to find Server Action "${NUMBER}"\n`);
  stream.write(Buffer.from("the requested resource /4242%204242%204242%204242\n"));
  stream.write(new Uint8Array(Buffer.from("naïve 漢字 ✓\n")));
  expect(text()).toBe(
    `Error: Failed to find Server Action "${CARD_NUMBER_MARK}"\nthe requested resource /${CARD_NUMBER_MARK}\nnaïve 漢字 ✓\n`,
  );
});

test("a number in pieces is masked however it is split", () => {
  for (const number of [NUMBER, "4242 4242 4242 4242", "4.2.4.2.4.2.4.2.4.2.4.2.4.2.4.2"])
    for (let cut = 1; cut < number.length; cut++) {
      const { stream, text } = testStream();
      stream.write(`paid with ${number.slice(0, cut)}`);
      stream.write(`${number.slice(cut)} today\n`);
      expect(text()).toBe(`paid with ${CARD_NUMBER_MARK} today\n`);
    }
});

test("buffered text is written a moment later, and awaiting callers are notified", () => {
  vi.useFakeTimers();
  try {
    const { stream, text } = testStream();
    const done = vi.fn();
    stream.write("step 3", undefined, done);
    expect(text()).toBe("step ");
    vi.advanceTimersByTime(100);
    expect(text()).toBe("step 3");
    stream.write("4", undefined, done);
    vi.advanceTimersByTime(100);
    expect(text()).toBe("step 34");
    expect(done).toHaveBeenCalledTimes(2);
  } finally {
    vi.useRealTimers();
  }
});

test("bytes that are not text are unchanged", () => {
  const pieces: Buffer[] = [];
  const stream = { write: (chunk: Uint8Array) => pieces.push(Buffer.from(chunk)) > 0 };
  maskStream(stream as never);
  const bytes = Buffer.from(Array.from({ length: 4_096 }, (_, i) => (i * 7) % 256));
  stream.write(bytes);
  expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
});

test("output of libraries becomes lines of the log, with the error as an error", () => {
  const [warn, failed] = [vi.fn(), vi.fn()];
  const undo = logConsole({ warn, error: failed }, ["error", "warn"]);
  const error = new Error("no such action");
  const ofPage = Object.assign(new Error("no such table"), { digest: "123" });
  const printer = globalThis.console;
  try {
    printer.error(error);
    printer.error(ofPage);
    printer.warn("%s is %d", "it", 3);
  } finally {
    undo();
  }
  expect(warn.mock.calls).toEqual([
    [{ source: "console", err: error }, "an error"],
    [{ source: "console" }, "it is 3"],
  ]);
  expect(failed.mock.calls).toEqual([[{ err: ofPage }, "a page failed"]]);
});
