import { askAgain } from "@/lib/contract/support/operations";
import { askAgain as ask } from "@/lib/domain/support/unknown-outcomes";
import { serve, supportRoutes } from "@/lib/http/dashboard-route";

export const { GET, POST, PATCH, DELETE } = supportRoutes(
  serve(askAgain, async (call) => {
    const { result, state, lastAnswer } = await ask(call, { operationId: call.params.id ?? "" });
    return { result, state, last_answer: lastAnswer };
  }),
);
