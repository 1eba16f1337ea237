/**
 * Clients of a version before 2026-07-28 get a question on the stream of their call, and send the response in
 * a message of its own, which may reach any process. That process runs the operation, and the stream reports
 * the result.
 */
import { type CallToolResult, type InputRequiredResult, isInputRequiredResult } from "@modelcontextprotocol/server";
import { isDatabaseUnavailable } from "@/db/unavailable";
import { AppError } from "@/lib/contract/errors";
import type { Mode } from "@/lib/contract/transactions/words";
import { findIdempotencyKey } from "@/lib/domain/idempotency/inspect-keys";
import { userContext } from "@/lib/http/caller";
import type { Stream } from "@/lib/http/event-stream";
import { decodeState, FIELD } from "./confirmation";
import { type Call, errorResult, problemResult, storedResponse } from "./endpoint-calls";
import { runTool } from "./tools";

const SESSION = "mcp-session";
const QUESTION = "mcp-question";
const signedFor = ({ caller }: Call) => `${caller.environment.id} ${caller.actor.id}`;

/** True if a client can show forms. In the first version with elicitation, all questions were forms. */
export function canShowForms(capabilities: unknown): boolean {
  const elicitation = memberOf(capabilities, "elicitation");
  if (typeof elicitation !== "object" || elicitation === null) return false;
  return memberOf(elicitation, "form") !== undefined || Object.keys(elicitation).length === 0;
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;

/**
 * A signed session id, which the client sends with each message: it encodes the capabilities in
 * `initialize`, so nothing is stored here.
 */
export const sessionFor = (call: Call): string => call.http.service.secret.mac(SESSION, signedFor(call));
export const isSessionOf = (call: Call, session: string): boolean =>
  call.http.service.secret.isMac(SESSION, signedFor(call), session);

export type ToolCall = { readonly name: string; readonly input: unknown };

/** A question's id: signed, and sent back by the client with the response. */
type Question = ToolCall & { readonly state: string };

/** Limit of a question's id, which the client sends back with the response. */
const MAX_QUESTION_LENGTH = 32 * 1024;
const CHECK_INTERVAL_MS = 1_000;
const KEEP_ALIVE_MS = 15_000;
/** Max duration of an operation that was confirmed at the last moment. */
const GRACE_MS = 30_000;
/** Open questions per key, per merchant, and in all: each queries the database every second. */
const MAX_PER_KEY = 5;
const MAX_PER_MERCHANT = 10;
const MAX_OPEN = 100;
/** Limit of all test environments: accounts are free, and ten of them must not block live questions. */
const MAX_IN_TEST_MODE = 75;

type Waiting = {
  readonly signedFor: string;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly deliver: (result: CallToolResult) => void;
};

/** Waiting streams of this process by the idempotency key of their question. */
const openQuestions = new Map<string, Waiting>();

/** The stream of a call that needs a confirmation. Throws `rate_limited` if too many questions are open. */
export function openQuestionStream(
  call: Call,
  id: string | number,
  tool: ToolCall,
  required: InputRequiredResult,
): Stream {
  const own = signedFor(call);
  const { merchantId, mode } = call.caller.environment;
  const ofMerchant = [...openQuestions.values()].filter((each) => each.merchantId === merchantId);
  const ofOne = ofMerchant.filter((each) => each.signedFor === own).length;
  if (ofMerchant.length >= MAX_PER_MERCHANT || ofOne >= MAX_PER_KEY)
    throw new AppError("rate_limited", "Too many questions wait for an answer already. Answer one of them first.");
  const ofTests = [...openQuestions.values()].filter((each) => each.mode === "test").length;
  if (openQuestions.size >= MAX_OPEN || (mode === "test" && ofTests >= MAX_IN_TEST_MODE))
    throw new AppError("rate_limited", "Too many questions are open here at the moment. Try again in a minute.");
  const { requestState: state = "", inputRequests } = required;
  const { key, until } = decodeState(state);
  const question = questionId(call, { ...tool, state });
  if (question.length > MAX_QUESTION_LENGTH)
    throw new AppError("invalid_parameter", "This is too long to be confirmed by this client. Send less metadata.");
  const { message, requestedSchema } = (inputRequests?.[FIELD]?.params ?? {}) as Record<string, unknown>;
  return async function* ({ signal }) {
    const { clock, timer } = call.http.service;
    const results: CallToolResult[] = [];
    let failed: CallToolResult | null = null;
    let endsAt = until + GRACE_MS;
    let wake = () => {};
    const deliver = (result: CallToolResult) => {
      results.push(result);
      wake();
    };
    const leave = () => wake();
    openQuestions.set(key, { signedFor: own, merchantId, mode, deliver });
    signal.addEventListener("abort", leave);
    try {
      yield frameOf({ id: question, method: "elicitation/create", params: { message, requestedSchema } });
      for (let checks = 1; !signal.aborted; checks++) {
        if (results.length === 0) {
          await new Promise<void>((resolve) => {
            const cancel = timer.after(CHECK_INTERVAL_MS, resolve);
            wake = () => {
              cancel();
              resolve();
            };
          });
        }
        let result = results.shift() ?? null;
        if (result === null || result.isError === true) {
          if (result !== null) endsAt = Math.min(endsAt, clock.now().getTime() + GRACE_MS);
          failed = result ?? failed;
          const found = await findStoredResult(call, tool, state);
          if (typeof found === "object") result = found;
          // A failed response is reported only if no other response ran the operation.
          else result = found === "unused" && failed !== null && !isUnsure(failed) ? failed : null;
          if (result === null && clock.now().getTime() > endsAt)
            result = errorResult(found === "unused" && failed === null ? UNANSWERED : PENDING);
        }
        if (result !== null) {
          yield frameOf({ id, result });
          return;
        }
        if (checks % (KEEP_ALIVE_MS / CHECK_INTERVAL_MS) === 0) yield ": still here\n\n";
      }
    } finally {
      signal.removeEventListener("abort", leave);
      openQuestions.delete(key);
    }
  };
}

const UNANSWERED = {
  code: "confirmation_declined",
  detail: "No answer came in ten minutes. Look at the payment, and don't ask again unless your user wants you to.",
};

/** JSON contains no raw line breaks. */
const frameOf = (message: object) => `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;

const PENDING = {
  code: "outcome_pending",
  detail: "What came of it is not known yet: it may have been done or not. Look at the payment before you try again.",
};

/**
 * The outcome of a confirmation that another process received: only the response stored under its key.
 * `unused`: the key is unused. `unknown`: the key may be in use, and has no response yet.
 */
async function findStoredResult(
  call: Call,
  tool: ToolCall,
  state: string,
): Promise<CallToolResult | "unused" | "unknown"> {
  const { http, caller, info } = call;
  const { environment, actor } = caller;
  const { key } = decodeState(state);
  try {
    const context = userContext(http.service, { environment, actor, request: { ...info, endpoint: "mcp" } });
    // The state is enough here: bodies come from the stored response, which checks the key's permission.
    const known = await findIdempotencyKey(context, { key, can: () => false });
    if (known?.state !== "done") return known === null ? "unused" : "unknown";
  } catch (error) {
    // The next check is a second later.
    if (isDatabaseUnavailable(error)) return "unknown";
    throw error;
  }
  let isStored = false;
  const result = await runConfirmed(call, tool, state, YES, async (...request) => {
    const response = await storedResponse(...request);
    isStored = true;
    return response;
  });
  if (isStored) return result;
  const status = statusOf(result);
  return status === 401 || status === 403 ? errorResult(PENDING) : "unknown";
}

const YES = { action: "accept", content: { [FIELD]: true } };

const statusOf = ({ structuredContent }: CallToolResult): unknown =>
  memberOf(memberOf(structuredContent, "error"), "status");

/** After an internal error, it is unknown how far the operation got. */
const isUnsure = (result: CallToolResult): boolean => Number(statusOf(result)) >= 500;

async function runConfirmed(
  call: Call,
  { name, input }: ToolCall,
  state: string,
  reply: unknown,
  lookUp?: typeof storedResponse,
): Promise<CallToolResult> {
  const confirmation = { canAsk: true, state, replies: { [FIELD]: reply }, ...(lookUp && { lookUp }) };
  const result = await runTool(call, name, input, confirmation);
  if (result !== null && !isInputRequiredResult(result)) return result;
  return problemResult(call, new AppError("invalid_parameter", "There is no such question."));
}

/** Runs the operation that a response to our question confirms. Any other message has no effect. */
export async function handleReply(call: Call, id: unknown, reply: unknown): Promise<void> {
  const question = readQuestion(call, id);
  if (question === null) return;
  const result = await runConfirmed(call, question, question.state, reply);
  openQuestions.get(decodeState(question.state).key)?.deliver(result);
}

const signedText = (call: Call, payload: string) => `${signedFor(call)}\n${payload}`;

function questionId(call: Call, question: Question): string {
  const payload = Buffer.from(JSON.stringify(question)).toString("base64url");
  return `${payload}.${call.http.service.secret.mac(QUESTION, signedText(call, payload))}`;
}

function readQuestion(call: Call, id: unknown): Question | null {
  const [payload = "", mac = "", ...rest] = typeof id === "string" ? id.split(".") : [];
  if (rest.length > 0 || !call.http.service.secret.isMac(QUESTION, signedText(call, payload), mac)) return null;
  return JSON.parse(Buffer.from(payload, "base64url").toString()) as Question;
}
