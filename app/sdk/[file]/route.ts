import { missingClientResponse } from "@/lib/http/node-client";
import { publicUrls } from "@/lib/http/page";

type Context = { params: Promise<{ file: string }> };

/** Files in `public/sdk` take precedence. */
export async function GET(_: Request, { params }: Context): Promise<Response> {
  return missingClientResponse((await params).file, (await publicUrls()).baseUrl);
}
