import { logoResponse } from "@/lib/http/checkout-page";

/** A merchant's logo, addressed by the digest of its bytes. */
export async function GET(request: Request, { params }: { params: Promise<{ digest: string }> }): Promise<Response> {
  return logoResponse(request, (await params).digest);
}
