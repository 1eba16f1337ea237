import { answerChallenge } from "@/lib/http/challenge";
import { hostedRoute } from "@/lib/http/hosted-page";

export function POST(request: Request, { params }: { params: Promise<{ token: string }> }): Promise<Response> {
  return hostedRoute(request, async () => answerChallenge(request, (await params).token));
}
