"use client";

import { Button } from "@/components/ui/button";
import { useDashboard } from "@/lib/client/dashboard-context";
import { roleViewCookie } from "@/lib/contract/team/role-view";

/** Reloads the dashboard as a role sees it, until the browser is closed; null: as the owner again. */
function useRoleView() {
  const { mode, user } = useDashboard();
  return (role: string | null) => {
    const isSecure = location.protocol === "https:";
    const attributes = `path=/; samesite=lax${isSecure ? "; secure" : ""}${role === null ? "; max-age=0" : ""}`;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API isn't in every browser yet
    document.cookie = `${roleViewCookie(user.userId, isSecure)}=${role ?? ""}; ${attributes}`;
    location.assign(role === null ? `/${mode}/settings/team` : `/${mode}`);
  };
}

/** `label`: the role's name. */
export function ViewAsRole({ role, label }: { role: string; label: string }) {
  const view = useRoleView();
  return (
    <Button size="sm" onClick={() => view(role)}>
      View as {label.toLowerCase()}
    </Button>
  );
}

/** On every page while an owner views the dashboard as a role. */
export function RoleViewBanner({ label }: { label: string }) {
  const view = useRoleView();
  return (
    <section aria-label="View as a role" className="role-view-banner">
      <p>
        <strong className="font-semibold">Viewing as {label.toLowerCase()}.</strong>{" "}
        <span className="max-sm:sr-only">These are the pages that this role sees. You can’t change anything.</span>
      </p>
      <button type="button" onClick={() => view(null)}>
        Back to your role
      </button>
    </section>
  );
}
