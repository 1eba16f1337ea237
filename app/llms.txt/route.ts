import { llmsText } from "@/components/docs/markdown-pages";
import { publicUrls } from "@/lib/http/page";
import { dataHeaders } from "@/lib/http/security-headers";

/** Index of the documentation for language models. */
export async function GET(): Promise<Response> {
  const headers = { ...dataHeaders(), "content-type": "text/markdown; charset=utf-8" };
  return new Response(llmsText(await publicUrls()), { headers });
}
