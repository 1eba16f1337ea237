import type { Io } from "@/lib/server/cli";

export type Progress = { update(done: number, detail: string): void; end(): void };

const BAR_WIDTH = 30;
const REDRAW_EVERY_MS = 100;
const PLAIN_LINE_EVERY_MS = 5_000;

/** A progress bar, redrawn on a terminal; elsewhere a plain line every few seconds. */
export function createProgress(output: Io["stdout"], label: string, total: number): Progress {
  const tty = output.isTTY === true;
  let lastAt = 0;
  let last = "";
  const draw = (text: string) => output.write(tty ? `\r\x1b[2K${text}` : `${text}\n`);
  return {
    update(done, detail) {
      const share = total === 0 ? 1 : done / total;
      const filled = Math.round(share * BAR_WIDTH);
      const bar = tty ? `[${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)}] ` : "";
      last = `${label} ${bar}${done}/${total} (${Math.floor(share * 100)} %)  ${detail}`;
      const now = performance.now();
      if (now - lastAt < (tty ? REDRAW_EVERY_MS : PLAIN_LINE_EVERY_MS)) return;
      lastAt = now;
      draw(last);
    },
    end() {
      draw(last);
      if (tty) output.write("\n");
    },
  };
}
