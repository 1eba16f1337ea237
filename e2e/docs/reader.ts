import { spawnSync } from "node:child_process";
import { expect, type Page } from "playwright/test";

/** A reader who follows the documentation: copies its samples and runs them with this machine's programs. */

export const has = (program: string) => spawnSync(program, ["--version"]).status === 0;

/** Clicks Copy next to the code with this title, in this language, and returns the clipboard. */
export async function copyFrom(page: Page, title: string, language?: string): Promise<string> {
  if (language) await page.getByRole("tab", { name: language, exact: true }).first().click();
  const figure = page.locator("figure", { has: page.getByRole("region", { name: title, exact: true }) });
  await figure.getByRole("button", { name: "Copy" }).click();
  await expect(figure.getByText("Copied")).toBeVisible();
  return page.evaluate(() => navigator.clipboard.readText());
}

/** Runs a command in a shell and returns its output; on failure throws with all of it. */
export function shell(command: string, env: Record<string, string>): string {
  const { status, stdout, stderr } = spawnSync("bash", ["-c", command], { env: { ...process.env, ...env } });
  if (status !== 0) throw new Error(`${command}\n${stdout.toString()}${stderr.toString()}`);
  return stdout.toString();
}
