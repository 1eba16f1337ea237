/** The pages below `/{mode}/settings`. */
export const SETTINGS_PAGES = [
  { path: "account", label: "Your account", group: "You" },
  { path: "second-factor", label: "Second factor", group: "You" },
  { path: "sessions", label: "Sessions", group: "You" },
  { path: "appearance", label: "Appearance", group: "You" },
  { path: "business", label: "Business profile", group: "Business" },
  { path: "team", label: "Team", group: "Business" },
  { path: "activity", label: "Activity", group: "Business" },
] as const;
