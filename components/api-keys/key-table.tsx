"use client";

import { Ban, CircleCheck, Ellipsis, type LucideIcon, Pencil, RefreshCw, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { flushSync } from "react-dom";
import { StatusBadge } from "@/components/ui/badge";
import { Popover, PopoverContent, PopoverTrigger } from "@/components/ui/floating";
import { Menu, MenuContent, MenuItem, MenuTrigger } from "@/components/ui/menu";
import { Time } from "@/components/ui/time";
import { toast } from "@/components/ui/toast";
import { PERMISSION_GROUPS, permissionSummary } from "@/lib/client/api-keys/permission-words";
import type { ApiKey, ApiKeyAction, IssuedApiKey } from "@/lib/contract/api-keys/api-keys";
import { limitsText } from "@/lib/contract/api-keys/limits-text";
import type { Permission } from "@/lib/contract/permissions";
import type { Mode } from "@/lib/contract/transactions/words";
import { RevokeKeyDialog, RollKeyDialog, ToggleKeyDialog } from "./key-dialogs";
import { SecretDialog } from "./secret-dialog";

type KeyTableProps = {
  keys: readonly ApiKey[];
  mode: Mode;
  /** IANA name. */
  timeZone: string;
};

export function KeyTable({ keys, mode, timeZone }: KeyTableProps) {
  const router = useRouter();
  const [acting, setActing] = useState<{ key: ApiKey; action: ApiKeyAction } | null>(null);
  const [issued, setIssued] = useState<IssuedApiKey | null>(null);
  const dialog = {
    mode,
    onClose: () => setActing(null),
    onChanged: (message: string) => {
      flushSync(() => setActing(null));
      // Revoking removes the menu that had the focus.
      if (acting?.action === "revoke") document.getElementById(acting.key.id)?.focus();
      toast.success(message);
      router.refresh();
    },
  };
  return (
    <>
      <table className="w-full border-t text-left text-[13px]">
        <caption className="sr-only">API keys, newest first</caption>
        <thead className="max-md:sr-only">
          <tr className="h-8 border-b text-soft text-xs">
            {["Name", "Permissions", "Last used", "Expires", "Created", "Status"].map((heading) => (
              <th key={heading} scope="col" className="pr-4 font-medium">
                {heading}
              </th>
            ))}
            <th scope="col" className="w-8">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <KeyRow
              key={key.id}
              apiKey={key}
              onAction={(action) =>
                action === "edit" ? router.push(`/${mode}/developers/api-keys/${key.id}`) : setActing({ key, action })
              }
            />
          ))}
        </tbody>
      </table>
      {acting?.action === "rotate" && (
        <RollKeyDialog
          {...dialog}
          apiKey={acting.key}
          timeZone={timeZone}
          onIssued={(made) => {
            setActing(null);
            setIssued(made);
            router.refresh();
          }}
        />
      )}
      {(acting?.action === "disable" || acting?.action === "enable") && (
        <ToggleKeyDialog {...dialog} apiKey={acting.key} action={acting.action} />
      )}
      {acting?.action === "revoke" && <RevokeKeyDialog {...dialog} apiKey={acting.key} />}
      {issued && <SecretDialog issued={issued} onDone={() => setIssued(null)} />}
    </>
  );
}

const CELL = "py-2 pr-4 align-top max-md:block max-md:py-0.5 max-md:pr-0";

function KeyRow({ apiKey: key, onAction }: { apiKey: ApiKey; onAction: (action: ApiKeyAction) => void }) {
  const over = key.status === "REVOKED" || key.status === "EXPIRED";
  return (
    <tr
      id={key.id}
      data-key={key.id}
      tabIndex={-1}
      className="border-b hover:bg-raised max-md:relative max-md:grid max-md:grid-cols-2 max-md:gap-x-4 max-md:py-2.5"
    >
      <th scope="row" className={`${CELL} max-w-72 font-normal max-md:col-span-2 max-md:max-w-none max-md:pr-10`}>
        <span className={`block font-medium [overflow-wrap:anywhere] ${over ? "text-soft" : ""}`}>{key.name}</span>
        <span className="block font-mono text-soft text-xs">
          {key.prefix}…{key.last4}
        </span>
      </th>
      <td className={`${CELL} max-w-52 max-md:col-span-2 max-md:max-w-none`}>
        <PermissionPopover name={key.name} permissions={key.permissions} />
        {key.limits && <span className="block text-soft text-xs">at most {limitsText(key.limits)}</span>}
        {key.ip_allow_list.length > 0 && (
          <span className="block truncate text-soft text-xs" title={key.ip_allow_list.join("\n")}>
            from {key.ip_allow_list[0]}
            {key.ip_allow_list.length > 1 && ` and ${key.ip_allow_list.length - 1} more`}
          </span>
        )}
      </td>
      <td className={CELL}>
        <NarrowLabel>Last used </NarrowLabel>
        {key.last_used_at ? (
          <>
            <Time at={key.last_used_at} style="relative" />
            <span className="block font-mono text-soft text-xs max-md:ml-2 max-md:inline">{key.last_used_ip}</span>
          </>
        ) : (
          <span className="text-soft">Never</span>
        )}
      </td>
      <td className={CELL}>
        <NarrowLabel>Expires </NarrowLabel>
        {key.expires_at ? <Time at={key.expires_at} /> : <span className="text-soft">Never</span>}
        {key.replaced_by && key.status === "ACTIVE" && <span className="block text-amber text-xs">Replaced</span>}
      </td>
      <td className={`${CELL} text-soft`}>
        <NarrowLabel>Created </NarrowLabel>
        <Time at={key.created_at} style="date" />
      </td>
      <td className={CELL}>
        <StatusBadge status={key.status} />
      </td>
      <td className="py-1 text-right align-top max-md:absolute max-md:top-1.5 max-md:right-0">
        {key.available_actions.length > 0 && <KeyMenu apiKey={key} onAction={onAction} />}
      </td>
    </tr>
  );
}

/** Label that replaces the column's heading on narrow screens. */
function NarrowLabel({ children }: { children: string }) {
  return (
    <span aria-hidden="true" className="text-soft md:hidden">
      {children}
    </span>
  );
}

const ITEMS: Record<ApiKeyAction, { label: string; icon: LucideIcon }> = {
  edit: { label: "Edit", icon: Pencil },
  rotate: { label: "Rotate …", icon: RefreshCw },
  disable: { label: "Disable …", icon: Ban },
  enable: { label: "Enable …", icon: CircleCheck },
  revoke: { label: "Revoke …", icon: Trash2 },
};

function KeyMenu({ apiKey, onAction }: { apiKey: ApiKey; onAction: (action: ApiKeyAction) => void }) {
  return (
    <Menu>
      <MenuTrigger asChild>
        <button
          type="button"
          className="button button-ghost button-icon"
          aria-label={`Actions for ${apiKey.name} ending in ${apiKey.last4}`}
        >
          <Ellipsis aria-hidden="true" />
        </button>
      </MenuTrigger>
      <MenuContent align="end" label={`Actions for ${apiKey.name}`}>
        {apiKey.available_actions.map((action) => {
          const { label, icon: Icon } = ITEMS[action];
          return (
            <MenuItem
              key={action}
              danger={action === "revoke"}
              icon={<Icon aria-hidden="true" />}
              onSelect={() => onAction(action)}
            >
              {label}
            </MenuItem>
          );
        })}
      </MenuContent>
    </Menu>
  );
}

/** Summary of the permissions; pressing it lists them all. */
function PermissionPopover({ name, permissions }: { name: string; permissions: readonly Permission[] }) {
  const groups = PERMISSION_GROUPS.map((group) => ({
    ...group,
    permissions: group.permissions.filter(({ permission }) => permissions.includes(permission)),
  })).filter((group) => group.permissions.length > 0);
  return (
    <Popover>
      <PopoverTrigger className="max-w-full truncate rounded text-left underline decoration-line decoration-dotted underline-offset-4 hover:decoration-current">
        {permissionSummary(permissions)}
      </PopoverTrigger>
      <PopoverContent label={`Permissions of ${name}`} className="w-80 max-w-[calc(100vw-1rem)] overflow-y-auto">
        <p className="mb-2 font-medium">{permissionSummary(permissions)}</p>
        <dl className="flex flex-col gap-2">
          {groups.map((group) => (
            <div key={group.name}>
              <dt className="text-soft text-xs">{group.name}</dt>
              {group.permissions.map(({ permission, label }) => (
                <dd key={permission} className="flex items-baseline justify-between gap-4">
                  {label} <code className="font-mono text-soft text-xs">{permission}</code>
                </dd>
              ))}
            </div>
          ))}
        </dl>
      </PopoverContent>
    </Popover>
  );
}
