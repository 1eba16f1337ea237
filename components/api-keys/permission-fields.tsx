"use client";

import { useId } from "react";
import { Checkbox } from "@/components/ui/checkbox";
import { RadioCards } from "@/components/ui/radio-cards";
import { PERMISSION_GROUPS, PERMISSION_PRESETS, presetOf } from "@/lib/contract/permission-words";
import type { Permission } from "@/lib/contract/permissions";

const CUSTOM = { value: "custom", label: "Custom", description: "Exactly what you choose below." };

type PermissionFieldsProps = {
  value: readonly Permission[];
  onChange: (permissions: Permission[]) => void;
  error?: string | undefined;
};

/** A preset, or any selection; choosing single ones makes it a custom one. */
export function PermissionFields({ value, onChange, error }: PermissionFieldsProps) {
  const preset = presetOf(value);
  const options = PERMISSION_PRESETS.map(({ id, label, sentence }) => ({ value: id, label, description: sentence }));

  function choose(id: string) {
    const chosen = PERMISSION_PRESETS.find((candidate) => candidate.id === id);
    onChange(chosen ? [...chosen.permissions] : []);
  }

  return (
    <>
      <RadioCards
        legend="What may it do?"
        options={[...options, CUSTOM]}
        value={preset?.id ?? "custom"}
        onChange={choose}
        columns={3}
        error={error}
      />
      <div className="overflow-hidden rounded-lg border">
        {PERMISSION_GROUPS.map((group) => (
          <PermissionGroup key={group.name} group={group} value={value} onChange={onChange} />
        ))}
      </div>
    </>
  );
}

type PermissionGroupProps = Omit<PermissionFieldsProps, "error"> & { group: (typeof PERMISSION_GROUPS)[number] };

function PermissionGroup({ group, value, onChange }: PermissionGroupProps) {
  const id = useId();
  const own = group.permissions.map(({ permission }) => permission);
  const chosen = own.filter((permission) => value.includes(permission));
  const set = (permissions: readonly Permission[], on: boolean) =>
    onChange(on ? [...new Set([...value, ...permissions])] : value.filter((given) => !permissions.includes(given)));

  return (
    <fieldset aria-labelledby={id} className="min-w-0 border-b last:border-0">
      <div className="flex items-center justify-between gap-4 bg-raised px-3 py-1.5">
        <span id={id} className="font-medium text-[13px]">
          {group.name}
        </span>
        <Checkbox
          label={<span className="text-soft">All</span>}
          aria-label={`All of ${group.name}`}
          checked={chosen.length === own.length}
          indeterminate={chosen.length > 0 && chosen.length < own.length}
          onChange={(event) => set(own, event.target.checked)}
        />
      </div>
      <div className="grid gap-x-6 gap-y-2.5 px-3 py-2.5 sm:grid-cols-2">
        {group.permissions.map(({ permission, label, sentence }) => (
          <Checkbox
            key={permission}
            label={label}
            description={sentence}
            checked={value.includes(permission)}
            onChange={(event) => set([permission], event.target.checked)}
          />
        ))}
      </div>
    </fieldset>
  );
}
