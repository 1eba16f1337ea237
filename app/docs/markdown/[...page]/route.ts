import { isWritten, writtenMarkdown } from "@/components/docs/markdown-pages";
import { findDemoShop } from "@/lib/http/demo";
import { errorExample } from "@/lib/http/openapi-schemas";
import { publicUrls } from "@/lib/http/page";
import { dataHeaders } from "@/lib/http/security-headers";

/** A guide as Markdown; next.config.ts rewrites `/docs/quickstart.md` to this route. */
export async function GET(_request: Request, { params }: { params: Promise<{ page: string[] }> }): Promise<Response> {
  const path = `/${(await params).page.join("/")}`;
  if (!isWritten(path))
    return new Response("There is no such page.\n", { status: 404, headers: headers("text/plain") });
  const urls = await publicUrls();
  const problem = errorExample("card_declined", `${urls.baseUrl}/docs`).value;
  const text = writtenMarkdown(path, { ...urls, problem, hasDemo: findDemoShop() !== null });
  return new Response(text, { headers: headers("text/markdown") });
}

const headers = (type: string) => ({ ...dataHeaders(), "content-type": `${type}; charset=utf-8` });
