import { NextRequest } from "next/server";
import { authHandler } from "@/lib/auth/next-auth";
import { safePath } from "@/lib/auth/session-cookie";
import type { Audience } from "@/lib/contract/accounts/sessions";
import { AppError } from "@/lib/contract/errors";
import { currentService } from "./current-service";
import { readBody } from "./parse";
import { failureResponse, infoOf } from "./pipeline";
import { addressOf } from "./request-parts";
import { toResponse } from "./response";
import { requireSameOrigin } from "./session-caller";

type Context = { params: Promise<{ nextauth: string[] }> };
type Handler = (request: Request, context: Context) => Promise<Response>;

/**
 * The GET and POST handlers of next-auth for one audience. Made at the first request, when the service is up.
 */
export function signInRoutes(audience: Audience): { GET: Handler; POST: Handler } {
  let handler: Handler | null = null;
  const handle: Handler = async (request, context) => {
    const { service } = currentService();
    handler ??= authHandler(service, audience);
    try {
      const [action] = (await context.params).nextauth;
      // next-auth's own logger would log unauthenticated input.
      if (action === "_log") throw new AppError("resource_not_found", "There is nothing here.");
      if (action === "callback" && request.method !== "POST") throw onlyPost();
      // Another site's form must not sign a browser in to another account, even if next-auth's own token
      // leaks.
      if (request.method === "POST") requireSameOrigin(request.headers, service.baseUrl);
      return await handler(await bounded(request), context);
    } catch (thrown) {
      return toResponse(failureResponse(thrown, infoOf(request)));
    }
  };
  return { GET: handle, POST: handle };
}

/**
 * The request as next-auth gets it: next-auth reads a body of any size, assumes that it can be parsed, and
 * responds with 500 to an unknown path. Throws 413 and 400.
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

/** The path to go to afterwards: one of our own, given once, or the default. */
function tidyCallback(fields: URLSearchParams): void {
  const given = fields.get("callbackUrl");
  if (given !== null) fields.set("callbackUrl", safePath(given, "/"));
}

/**
 * next-auth writes the error into a Location header unchanged, and mistakes part of the path for one. Unknown
 * errors are replaced, because headers can't carry every character.
 */
function tidyError(fields: URLSearchParams): void {
  if (!/^\w{1,40}$/.test(fields.get("error") ?? "")) fields.set("error", "Default");
}

/** A JSON object as a form, without members that are not text. */
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
