"use client";

import { Popover, PopoverContent, PopoverTrigger } from "@/components/ui/popover";
import { PERMISSION_GROUPS, permissionSummary } from "@/lib/contract/permission-words";
import type { Permission } from "@/lib/contract/permissions";

/** The permissions in a few words; pressed, all of them. */
export function PermissionPopover({ name, permissions }: { name: string; permissions: readonly Permission[] }) {
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
