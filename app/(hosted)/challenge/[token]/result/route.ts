import { answerChallenge } from "@/lib/http/checkout";
import { hostedRoute } from "@/lib/http/checkout-page";

export function POST(request: Request, { params }: { params: Promise<{ token: string }> }): Promise<Response> {
  return hostedRoute(request, async () => answerChallenge(request, (await params).token));
}
