import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import sirv from "sirv";
import { NODE_CLIENT_FILE } from "@/lib/http/node-client";
import { FOREVER, paymentFormAsset, SDK_HEADERS, TARBALL_HEADERS } from "@/lib/http/payment-form-assets";
import type { Listener } from "./http-server";

type Serve = ReturnType<typeof sirv>;

const BUILT = "/_next/static";
const SDK = "/sdk";
const COPIES = { brotli: true, gzip: true };
const YEAR_SECONDS = 31_536_000;

/**
 * Serves built browser files from their compressed copies, and passes the rest to the pages. Next would
 * compress each file per request, and only with gzip, which is one sixth larger.
 */
export function withStaticFiles(root: string, pages: Listener): Listener {
  const folders: [prefix: string, serve: Serve][] = [
    [BUILT, builtFiles(join(root, ".next", "static"))],
    [SDK, sdkFiles(join(root, "public", "sdk"))],
  ];
  return async (request, response) => {
    const { url = "" } = request;
    const [prefix, serve] = folders.find(([name]) => url.startsWith(`${name}/`)) ?? [];
    if (!serve || (request.method !== "GET" && request.method !== "HEAD")) {
      await pages(request, response);
      return;
    }
    request.url = url.slice(prefix?.length);
    // Browsers don't need ranges of a script, and an invalid range would close the connection.
    delete request.headers.range;
    const isServed = await new Promise<boolean>((resolve) => {
      response.once("close", () => resolve(true));
      serve(request, response, () => resolve(false));
    });
    if (isServed) return;
    request.url = url;
    await pages(request, response);
  };
}

/** Their names change with their content. */
function builtFiles(folder: string): Serve {
  return sirv(folder, {
    ...COPIES,
    immutable: true,
    maxAge: YEAR_SECONDS,
    setHeaders: (response) => response.setHeader("X-Content-Type-Options", "nosniff"),
  });
}

/** Read on every request: a build may replace them at run time, and the page's digests follow the files. */
function sdkFiles(folder: string): Serve {
  const serve = sirv(folder, { ...COPIES, dev: true, etag: true });
  return (request, response, next) => {
    const [path = "", query] = request.url?.split("?") ?? [];
    const headers = NODE_CLIENT_FILE.test(path.slice(1)) ? TARBALL_HEADERS : SDK_HEADERS[SDK + path];
    if (!headers) {
      void next?.();
      return;
    }
    const file = join(folder, path);
    if (!existsSync(file)) {
      void next?.();
      return;
    }
    // Set here instead of by sirv, so that a 304 has them too.
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    const isWhole = existsSync(file) && copiesFit(file);
    // During a build, the compressed copies may be from another version.
    if (!isWhole) delete request.headers["accept-encoding"];
    if (path.startsWith("/frame.")) {
      response.setHeader("Cache-Control", isWhole ? formCaching(file, query) : "no-cache");
    }
    serve(request, response, next);
  };
}

const fitting = new Map<string, string>();

/** True if a file's compressed copies match its content. Cached until one of them is written. */
function copiesFit(file: string): boolean {
  const files = [file, `${file}.br`, `${file}.gz`];
  if (!files.every((one) => existsSync(one))) return false;
  const seen = files
    .map((one) => statSync(one))
    .map(({ mtimeMs, size }) => `${mtimeMs}/${size}`)
    .join(" ");
  if (fitting.get(file) === seen) return true;
  const [content, br, gz] = files.map((one) => readFileSync(one)) as [Buffer, Buffer, Buffer];
  const isFit = brotliDecompressSync(br).equals(content) && gunzipSync(gz).equals(content);
  if (isFit) fitting.set(file, seen);
  return isFit;
}

/** One year, but only under the file's own digest: another version's file must not be cached under it. */
function formCaching(file: string, query: string | undefined): string {
  return query === `v=${paymentFormAsset(file).version}` ? FOREVER : "no-cache";
}
