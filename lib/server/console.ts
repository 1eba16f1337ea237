const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/** A step that is done sooner is shown once, when it is done. */
const QUIET_MS = 1_000;
const LABEL_WIDTH = 14;

export type Output = { write(text: string): unknown; isTTY?: boolean | undefined };

/** What the person who starts the service sees: one aligned line per step, the same with and without a terminal. */
export type Console = {
  /** Shows a step, with the seconds it takes when it takes over one. `work` returns what to say about it when done. */
  step<T>(label: string, work: (say: (detail: string) => void) => Promise<T>): Promise<T>;
  /** A labelled line of the summary. */
  fact(label: string, value: string): void;
  line(text?: string): void;
  /** What the start goes on in spite of. */
  warning(sentence: string): void;
  problem(sentence: string): void;
};

export function createConsole(output: Output): Console {
  const tty = output.isTTY === true;
  const paint = (code: number, text: string) => (tty ? `\x1b[${code}m${text}\x1b[0m` : text);
  const row = (mark: string, label: string, detail: string) =>
    `  ${mark} ${label.padEnd(LABEL_WIDTH)}${detail}`.trimEnd();

  async function step<T>(label: string, work: (say: (detail: string) => void) => Promise<T>): Promise<T> {
    const started = Date.now();
    let detail = "";
    let frame = 0;
    let announced = "";
    const seconds = () => {
      const elapsedMs = Date.now() - started;
      return elapsedMs < QUIET_MS ? "" : paint(2, `  ${Math.round(elapsedMs / 1000)} s`);
    };
    const show = () => {
      if (Date.now() - started < QUIET_MS) return;
      if (tty) {
        const mark = FRAMES[frame++ % FRAMES.length] as string;
        output.write(`\r\x1b[2K${row(paint(36, mark), label, detail)}${seconds()}`);
      } else if (announced !== `${label}${detail}`) {
        announced = `${label}${detail}`;
        output.write(`${row("…", label, detail)}\n`);
      }
    };
    const timer = setInterval(show, 100);
    const end = (mark: string) => {
      clearInterval(timer);
      output.write(`${tty ? "\r\x1b[2K" : ""}${row(mark, label, detail)}${seconds()}\n`);
    };
    try {
      const result = await work((text) => {
        detail = text;
      });
      end(paint(32, "✓"));
      return result;
    } catch (error) {
      end(paint(31, "✗"));
      throw error;
    }
  }

  return {
    step,
    fact: (label, value) => void output.write(`${row(" ", label, value)}\n`),
    line: (text = "") => void output.write(`${text}\n`),
    warning: (sentence) => void output.write(`  ${paint(33, "!")} ${sentence}\n`),
    problem: (sentence) => void output.write(`\n  ${paint(31, sentence)}\n\n`),
  };
}
