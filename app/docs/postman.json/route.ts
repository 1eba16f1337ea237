import { publicUrls } from "@/lib/http/page";
import { buildPostmanCollection } from "@/lib/http/postman";
import { dataHeaders } from "@/lib/http/security-headers";

/** Postman collection of the API. */
export async function GET(): Promise<Response> {
  const { baseUrl, sandboxBaseUrl } = await publicUrls();
  return Response.json(buildPostmanCollection(sandboxBaseUrl ?? baseUrl), { headers: dataHeaders() });
}
