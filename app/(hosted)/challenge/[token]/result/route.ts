import { answerChallenge } from "@/lib/http/challenge";

export async function POST(request: Request, { params }: { params: Promise<{ token: string }> }): Promise<Response> {
  return answerChallenge(request, (await params).token);
}
