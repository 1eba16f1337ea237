import { createContext } from "react";

/** Closes the sheet around the navigation, if there is one: also when a link leads to the page that is open already. */
export const LeaveSheet = createContext<() => void>(() => {});
