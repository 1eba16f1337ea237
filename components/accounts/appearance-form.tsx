"use client";

import { useRouter } from "next/navigation";
import { useTheme } from "next-themes";
import { useState } from "react";
import { Card } from "@/components/ui/card";
import { RadioCards, Switch } from "@/components/ui/choices";
import { useHydrated } from "@/components/ui/hooks";
import { toast } from "@/components/ui/toast";
import { callApi, failureText } from "@/lib/client/api";
import type { Preferences } from "@/lib/contract/permissions";

const THEMES = [
  { value: "system", label: "System", description: "Follows this device." },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
] as const;

const TIMES = [
  { value: "local", label: "Business time zone", description: "The time zone that filters and charts use." },
  { value: "utc", label: "UTC", description: "The time zone that the API uses." },
] as const;

/** Each choice takes effect immediately. The theme is stored in this browser, the rest with the user. */
export function AppearanceForm(saved: Required<Pick<Preferences, "times" | "shortcuts">>) {
  const router = useRouter();
  const { theme, setTheme } = useTheme();
  const hydrated = useHydrated();
  const [values, setValues] = useState(saved);

  async function change(changes: Preferences) {
    const before = values;
    setValues({ ...values, ...changes });
    try {
      await callApi("PATCH /api/dashboard/preferences", { body: changes });
      router.refresh();
    } catch (error) {
      setValues(before);
      toast.error("Not saved", { description: failureText(error) });
    }
  }

  return (
    <div className="flex max-w-xl flex-col gap-4">
      <Card title="Theme" description="Saved in this browser.">
        <RadioCards
          legend="Theme"
          hideLegend
          columns={3}
          options={THEMES}
          // The server doesn't know the browser's stored theme.
          value={hydrated ? ((theme ?? "system") as (typeof THEMES)[number]["value"]) : null}
          onChange={setTheme}
        />
      </Card>
      <Card title="Times">
        <RadioCards
          legend="Times"
          hideLegend
          columns={2}
          options={TIMES}
          value={values.times}
          onChange={(times) => change({ times })}
        />
      </Card>
      <Card title="Keyboard">
        <Switch
          label="Single-key shortcuts"
          description="j and k move, / searches, ? lists them all. Ctrl-K or ⌘K always works."
          checked={values.shortcuts}
          onChange={(event) => change({ shortcuts: event.target.checked })}
        />
      </Card>
    </div>
  );
}
