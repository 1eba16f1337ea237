import { NextRequest } from "next/server";
import { authHandler } from "@/lib/auth/next-auth";
import { safePath } from "@/lib/auth/session-cookie";
import type { Audience } from "@/lib/contract/accounts/proof";
import { AppError } from "@/lib/contract/errors";
import { toResponse } from "./answer";
import { currentService } from "./current-service";
import { readBody } from "./parse";
import { answerFailure, infoOf } from "./pipeline";
import { addressOf } from "./request-parts";
import { requireSameOrigin } from "./session-caller";

type Context = { params: Promise<{ nextauth: string[] }> };
type Handler = (request: Request, context: Context) => Promise<Response>;

/** The GET and POST handlers of next-auth for one audience. Made at the first request, when the service is up. */
export function signInRoutes(audience: Audience): { GET: Handler; POST: Handler } {
  let handler: Handler | null = null;
  const handle: Handler = async (request, context) => {
    const { service } = currentService();
    handler ??= authHandler(service, audience);
    try {
      const [action] = (await context.params).nextauth;
      // next-auth's would write whatever a stranger sends into the log.
      if (action === "_log") throw new AppError("resource_not_found", "There is nothing here.");
      if (action === "callback" && request.method !== "POST") throw onlyPost();
      // Another site's form must not sign a browser in as somebody else, whatever became of next-auth's own token.
      if (request.method === "POST") requireSameOrigin(request.headers, service.baseUrl);
      return await handler(await bounded(request), context);
    } catch (thrown) {
      return toResponse(answerFailure(thrown, infoOf(request)));
    }
  };
  return { GET: handle, POST: handle };
}

/**
 * The request as next-auth gets it: next-auth reads a body of any size, takes for granted that it can be parsed, and answers
 * 500 to an address that leads nowhere. Throws 413 and 400.
 */
async function bounded(request: Request): Promise<NextRequest> {
  const { method } = request;
  const url = new URL(request.url);
  tidyCallback(url.searchParams);
  tidyError(url.searchParams);
  const headers = new Headers(request.headers);
  headers.set("x-forwarded-for", addressOf(headers, { ip: null }));
  if (method !== "POST") return new NextRequest(url, { method, headers });
  const text = await readBody(request);
  const isJson = headers.get("content-type")?.includes("application/json") ?? false;
  const form = new URLSearchParams(isJson ? formOf(text) : text);
  tidyCallback(form);
  headers.set("content-type", "application/x-www-form-urlencoded");
  headers.delete("content-length");
  return new NextRequest(url, { method, headers, body: form.toString() });
}

/** Where to go afterwards is a path of our own, given once, or the default. */
function tidyCallback(fields: URLSearchParams): void {
  const given = fields.get("callbackUrl");
  if (given !== null) fields.set("callbackUrl", safePath(given, "/"));
}

/**
 * next-auth writes it into a Location as it is, and takes a part of the path where there is none: an error that is no word of
 * next-auth's or ours becomes one, for not every text can stand in a header.
 */
function tidyError(fields: URLSearchParams): void {
  if (!/^\w{1,40}$/.test(fields.get("error") ?? "")) fields.set("error", "Default");
}

/** The form that a JSON object stands for; what is no text in it is left out. */
function formOf(json: string): string {
  const fields = parsed(json);
  if (typeof fields !== "object" || fields === null || Array.isArray(fields)) throw noObject();
  const texts = Object.entries(fields).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []));
  return new URLSearchParams(texts).toString();
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw noObject();
  }
}

const noObject = () => new AppError("malformed_json", "The body is not a JSON object. Send a form, or a JSON object.");

const onlyPost = () => new AppError("method_not_allowed", "A sign-in takes POST.", { headers: { Allow: "POST" } });
