"use client";

import { Ban, CircleCheck, Ellipsis, type LucideIcon, RefreshCw, Trash2 } from "lucide-react";
import { Menu, MenuContent, MenuItem, MenuTrigger } from "@/components/ui/menu";
import type { ApiKey, ApiKeyAction } from "@/lib/contract/dashboard/api-keys";

const ITEMS: Record<ApiKeyAction, { label: string; icon: LucideIcon }> = {
  rotate: { label: "Roll …", icon: RefreshCw },
  disable: { label: "Disable …", icon: Ban },
  enable: { label: "Enable …", icon: CircleCheck },
  revoke: { label: "Revoke …", icon: Trash2 },
};

export function KeyMenu({ apiKey, onAction }: { apiKey: ApiKey; onAction: (action: ApiKeyAction) => void }) {
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
