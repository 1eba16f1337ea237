import type { Cardlane } from "../../public/sdk/v1";

export type Script = Cardlane;
export type MountOptions = Parameters<Script["mount"]>[1];
export type Frame = ReturnType<Script["mount"]>;

let loading: Promise<Script> | null = null;

/** The script, loaded once, from where the service is. Rejects with a sentence for the shopper. */
export function loadCardlane(): Promise<Script> {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = "/sdk/v1.js";
    script.onload = () => resolve(window.Cardlane);
    script.onerror = () => {
      script.remove();
      loading = null;
      reject(new Error("The payment form could not be loaded. Check your connection and try again."));
    };
    document.head.append(script);
  });
  return loading;
}
