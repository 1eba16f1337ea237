import { gzipSync } from "node:zlib";
import { searchDocuments } from "@/components/docs/search/documents";
import { findDemoShop } from "@/lib/http/demo";
import { buildOpenApi } from "@/lib/http/openapi";
import { errorExample } from "@/lib/http/openapi-schemas";
import { publicUrls } from "@/lib/http/page";
import { dataHeaders } from "@/lib/http/security-headers";

/** Built once, as it depends only on the configuration. */
let kept: Uint8Array<ArrayBuffer> | null = null;

/**
 * The search index, fetched when the search box is first focused. Compressed here because Next doesn't
 * compress routes.
 */
export async function GET(): Promise<Response> {
  const urls = await publicUrls();
  const problem = errorExample("card_declined", `${urls.baseUrl}/docs`).value;
  const site = { ...urls, problem, hasDemo: findDemoShop() !== null };
  kept ??= new Uint8Array(gzipSync(JSON.stringify(searchDocuments(buildOpenApi(urls), site)), { level: 9 }));
  const headers = { ...dataHeaders(), "content-type": "application/gzip", "cache-control": "public, max-age=600" };
  return new Response(kept, { headers });
}
