import type { ErrorGuideEntry } from "./error-guide-entry";
import { OUTCOME_ERRORS } from "./error-guide-outcomes";
import { REQUEST_ERRORS } from "./error-guide-requests";
import type { ErrorCode } from "./errors";

/** Every error code explained: a code without its text does not compile. The pages that `type` points to show it. */
export const ERROR_GUIDE: Record<ErrorCode, ErrorGuideEntry> = { ...REQUEST_ERRORS, ...OUTCOME_ERRORS };
