/** What the form asks of the browser around it. */
export type Surroundings = {
  visible(): boolean;
  /** The shopper is looking at the form again; returns what ends the listening. */
  onVisible(listener: () => void): () => void;
  onOnline(listener: () => void): () => void;
};

export const browserSurroundings: Surroundings = {
  visible: () => document.visibilityState === "visible",
  onVisible(listener) {
    const tell = () => {
      if (document.visibilityState === "visible") listener();
    };
    document.addEventListener("visibilitychange", tell);
    return () => document.removeEventListener("visibilitychange", tell);
  },
  onOnline(listener) {
    window.addEventListener("online", listener);
    return () => window.removeEventListener("online", listener);
  },
};
