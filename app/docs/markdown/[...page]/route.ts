import { isWritten, markdownAddress, writtenMarkdown } from "@/components/docs/markdown-pages";
import { errorMarkdown, referenceMarkdown } from "@/components/docs/reference/markdown";
import { ENDPOINTS } from "@/lib/contract/endpoints";
import { ERROR_CODES } from "@/lib/contract/errors";
import { findDemoShop } from "@/lib/http/demo";
import { buildOpenApi } from "@/lib/http/openapi";
import { errorCodesOf, errorExample } from "@/lib/http/openapi-schemas";
import { publicUrls } from "@/lib/http/page";
import { dataHeaders } from "@/lib/http/security-headers";

type Urls = Awaited<ReturnType<typeof publicUrls>>;

/** Each is made once: it depends on the configuration alone. */
const kept = new Map<string, string>();

/** Every page of the documentation as Markdown; next.config.ts leads `/docs/quickstart.md` here. */
export async function GET(_request: Request, { params }: { params: Promise<{ page: string[] }> }): Promise<Response> {
  const path = `/${(await params).page.join("/")}`;
  const urls = await publicUrls();
  const text = kept.get(path) ?? markdownOf(path, urls);
  if (text === null) return new Response("There is no such page.\n", { status: 404, headers: headers("text/plain") });
  kept.set(path, text);
  return new Response(text, { headers: headers("text/markdown") });
}

const headers = (type: string) => ({ ...dataHeaders(), "content-type": `${type}; charset=utf-8` });

function markdownOf(path: string, urls: Urls): string | null {
  const docsUrl = `${urls.baseUrl}/docs`;
  const addressOf = (href: string) => markdownAddress(href, urls.baseUrl);
  if (isWritten(path)) {
    const problem = errorExample("card_declined", docsUrl).value;
    return writtenMarkdown(path, { ...urls, problem, hasDemo: findDemoShop() !== null });
  }
  if (path === "/docs/reference") return referenceMarkdown(buildOpenApi(urls), addressOf);
  const code = ERROR_CODES.find((known) => path === `/docs/errors/${known}`);
  if (!code) return null;
  const endpoints = ENDPOINTS.filter((endpoint) => errorCodesOf(endpoint).includes(code)).map(({ name }) => name);
  return errorMarkdown({ code, example: errorExample(code, docsUrl).value, endpoints }, addressOf);
}
