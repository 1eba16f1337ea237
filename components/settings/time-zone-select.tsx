"use client";

import { type ComponentProps, useMemo } from "react";
import { Select } from "@/components/ui/select";
import { useHydrated } from "@/components/ui/use-hydrated";

/** Every zone that the browser knows, by part of the world. Until the page is alive only the chosen one is in it. */
export function TimeZoneSelect({ value, ...rest }: ComponentProps<"select"> & { value: string }) {
  const hydrated = useHydrated();
  const groups = useMemo(() => (hydrated ? zonesByRegion(value) : new Map([["", [value]]])), [hydrated, value]);
  return (
    <Select {...rest} value={value}>
      {[...groups].map(([region, zones]) =>
        region === "" ? (
          zones.map((zone) => <Zone key={zone} zone={zone} />)
        ) : (
          <optgroup key={region} label={region}>
            {zones.map((zone) => (
              <Zone key={zone} zone={zone} />
            ))}
          </optgroup>
        ),
      )}
    </Select>
  );
}

function Zone({ zone }: { zone: string }) {
  return <option value={zone}>{zone.replaceAll("_", " ")}</option>;
}

/** Part of the world → its zones; the ones without, such as UTC, under "". */
function zonesByRegion(chosen: string): Map<string, string[]> {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = [...new Set(["UTC", own, chosen, ...Intl.supportedValuesOf("timeZone")])].toSorted();
  const groups = new Map<string, string[]>([["", []]]);
  for (const zone of zones) {
    const region = zone.includes("/") ? zone.slice(0, zone.indexOf("/")) : "";
    groups.set(region, [...(groups.get(region) ?? []), zone]);
  }
  return groups;
}
