import type { ServerResponse } from "node:http";
import type { Books } from "./books";

const PATH = /^\/challenges\/((?:pi|seti)_\w+)$/;

/**
 * The bank's page, where a shopper passes or fails a challenge and is redirected. False if the URL isn't a
 * challenge.
 */
export async function challengePage(
  books: Books,
  method: string,
  url: URL,
  body: string,
  response: ServerResponse,
): Promise<boolean> {
  const intent = PATH.exec(url.pathname)?.[1];
  if (!intent) return false;
  const answer = new URLSearchParams(body).get("answer");
  const of = intent.startsWith("seti_") ? books.cards : books;
  const back = method === "POST" && answer !== null ? of.answerChallenge(intent, answer === "pass") : null;
  if (back !== null) {
    response.writeHead(303, { Location: back });
    response.end();
    return true;
  }
  const isOpen = (books.intents.get(intent) ?? books.cards.setups.get(intent))?.status === "requires_action";
  response.writeHead(isOpen ? 200 : 410, { "Content-Type": "text/html; charset=utf-8" });
  response.end(isOpen ? OPEN : OVER);
  return true;
}

const shell = (inside: string) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>Test bank</title>
<meta name="viewport" content="width=device-width"><main><h1>Test bank</h1>${inside}</main></html>`;
const OPEN = shell(`<p>Is this payment yours?</p><form method="post">
<button name="answer" value="pass">Yes, pay</button> <button name="answer" value="fail">No</button></form>`);
const OVER = shell("<p>There is nothing to answer here anymore.</p>");
