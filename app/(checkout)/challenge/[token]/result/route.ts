import { completeChallenge } from "@/lib/http/checkout";
import { checkoutRoute } from "@/lib/http/checkout-page";

export function POST(request: Request, { params }: { params: Promise<{ token: string }> }): Promise<Response> {
  return checkoutRoute(request, async () => completeChallenge(request, (await params).token));
}
