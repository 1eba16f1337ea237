import { answerChallenge } from "@/lib/http/checkout";
import { checkoutRoute } from "@/lib/http/checkout-page";

export function POST(request: Request, { params }: { params: Promise<{ token: string }> }): Promise<Response> {
  return checkoutRoute(request, async () => answerChallenge(request, (await params).token));
}
