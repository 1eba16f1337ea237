import type { Sql } from "@/db/client";
import { encodeId } from "@/lib/contract/ids";
import { newId } from "@/lib/ids";
import type { HttpAnswer } from "./answer";
import { currentService } from "./current-service";
import type { ApiRequest } from "./request-parts";
import { endsWithSlash, refuse } from "./route";
import { answerFailure, silence } from "./unavailable";

const headersOf = () => ({
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  "X-Request-Id": encodeId("request", newId()),
});

/** The database has to answer within this; who asks expects our answer within two seconds. */
const READY_LIMIT_MS = 1_500;
/** A question without an answer is not asked again for so long: each would wait in the pool for ever. */
const ASK_AGAIN_MS = 5_000;

let asked: { sql: Sql; atMs: number; answer: Promise<unknown> } | null = null;

/** Whether the process runs. Asks nothing else, so that an outage of the database does not restart every instance. */
export function live(request: ApiRequest): HttpAnswer {
  if (endsWithSlash(request)) return refuse(request, null);
  return { status: 200, headers: headersOf(), body: '{"status":"live"}' };
}

/** Whether requests can be served: the database answers. 503 when it does not. */
export async function ready(request: ApiRequest): Promise<HttpAnswer> {
  if (endsWithSlash(request)) return refuse(request, null);
  const { service } = currentService();
  try {
    await askDatabase(service.db.sql);
    return { status: 200, headers: headersOf(), body: '{"status":"ready"}' };
  } catch (error) {
    return answerFailure(request, error);
  }
}

/** An unanswered question is shared. The race stays subscribed to it, so that a late failure is not unhandled. */
async function askDatabase(sql: Sql): Promise<void> {
  if (asked?.sql !== sql || performance.now() - asked.atMs > ASK_AGAIN_MS) {
    const question = { sql, atMs: performance.now(), answer: sql`select 1`.execute() };
    asked = question;
    const forget = () => {
      if (asked === question) asked = null;
    };
    question.answer.then(forget, forget);
  }
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(silence("the database does not answer")), READY_LIMIT_MS);
  });
  try {
    await Promise.race([asked.answer, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** Every other method of these paths. */
export const onlyGet = (request: ApiRequest): HttpAnswer => refuse(request, ["GET"]);
