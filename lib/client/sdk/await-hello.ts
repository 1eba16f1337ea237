/** How long a form may take at most, and how long after the browser says that it has loaded: its scripts have run then. */
const LIMIT_MS = 10_000;
const LOADED_LIMIT_MS = 3_000;

/**
 * Browsers do not tell a page that a frame refused to be framed: it stays silent, and that is all there is to notice. Calls
 * back once, unless the returned function was called before.
 */
export function awaitHello(iframe: HTMLIFrameElement, onSilence: () => void): () => void {
  let timer = setTimeout(giveUp, LIMIT_MS);
  iframe.addEventListener("load", onLoad);

  function stop(): void {
    clearTimeout(timer);
    iframe.removeEventListener("load", onLoad);
  }
  function giveUp(): void {
    stop();
    onSilence();
  }
  function onLoad(): void {
    clearTimeout(timer);
    timer = setTimeout(giveUp, LOADED_LIMIT_MS);
  }
  return stop;
}
