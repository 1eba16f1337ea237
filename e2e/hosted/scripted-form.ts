import type { Frame, Page } from "@playwright/test";
import { pageHeaders } from "@/lib/http/security-headers";

export const TOKEN = `cst_${"a".repeat(43)}`;

/** In the form's place: says hello, keeps what it is told, and says what the test makes it say. */
export const SILENT_FORM = "<!doctype html><title>Form</title><p>The form</p>";
export const SCRIPTED_FORM = `${SILENT_FORM}<script>
  const origin = new URLSearchParams(location.search).get("origin");
  window.heard = [];
  window.say = (message, target = origin) => parent.postMessage({ source: "cardlane", ...message }, target);
  addEventListener("message", ({ data, origin }) => heard.push({ ...data, origin }));
  say({ type: "hello" });
</script>`;

type FormWindow = { heard: Record<string, unknown>[]; say(message: object, target?: string): void };

/** With the headers of our own pages, but a policy that lets the stand-in's script run and anybody embed it. */
export async function replaceForm(page: Page, baseUrl: string, html: string): Promise<void> {
  const nonce = "a".repeat(24);
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; object-src 'none'; base-uri 'none'`;
  const headers = { ...pageHeaders(), "content-security-policy": policy };
  const body = html.replaceAll("<script>", `<script nonce="${nonce}">`);
  await page.route(`${baseUrl}/pay/**`, (route) => route.fulfill({ headers, contentType: "text/html", body }));
}

/** A page of the merchant whose payment form does what the test says. */
export async function withScriptedForm(page: Page, baseUrl: string) {
  await replaceForm(page, baseUrl, SCRIPTED_FORM);
  const form = async (): Promise<Frame> => {
    const element = await page.locator("#payment iframe").elementHandle();
    return (await element?.contentFrame()) as Frame;
  };
  return {
    say: async (message: object) =>
      (await form()).evaluate((said) => (window as unknown as FormWindow).say(said), message),
    heard: async () => (await form()).evaluate(() => (window as unknown as FormWindow).heard),
    address: async () => new URL((await form()).url()),
  };
}

export const consoleOf = (page: Page, type: string) => {
  const said: string[] = [];
  page.on("console", (message) => message.type() === type && said.push(message.text()));
  return said;
};
