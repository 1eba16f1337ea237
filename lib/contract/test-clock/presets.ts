import { z } from "zod";
import { dashboardEndpoint } from "@/lib/contract/endpoint";

/** The next times at which a subscription of the sandbox changes; ISO times, null if none will. */
export type ClockPresets = { readonly renewal: string | null; readonly trial: string | null };

export const getClockPresets = dashboardEndpoint({
  name: "getClockPresets",
  method: "GET",
  path: "/api/dashboard/{mode}/test-clock/presets",
  permission: "test_clock.write",
  status: 200,
  response: z.custom<ClockPresets>(),
});
