import type { ReactNode } from "react";
import { EmptyState } from "./empty-state";

/** Says that the person's role does not include `what` ("API keys"). */
export function NoPermission({ what, actions }: { what: string; actions?: ReactNode }) {
  return <EmptyState kind="no-permission" what={what} actions={actions} />;
}
