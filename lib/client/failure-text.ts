import { ApiError, NoAnswerError } from "./api";

/** Why a call failed and what to do, in words. Throws what is none of a call's failures. */
export function failureText(error: unknown): string {
  if (error instanceof ApiError) {
    const request = error.requestId && error.status >= 500 ? ` Request ${error.requestId}.` : "";
    return `${error.detail}${request}`;
  }
  if (error instanceof NoAnswerError) {
    return "No answer came, so it may or may not have worked. Check your connection and try again.";
  }
  throw error;
}
