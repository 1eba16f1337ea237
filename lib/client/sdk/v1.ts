import type { Cardlane } from "@/public/sdk/v1";
import { mount } from "./mount";
import { originOf } from "./page-mistakes";

// Known while the script runs for the first time, and never again.
const origin = originOf(document.currentScript);

const api: Cardlane = { version: "1.0.0", mount: (element, options) => mount(origin, element, options) };

Object.assign(window, { Cardlane: Object.freeze(api) });
