/** Holds whoever calls `hold` until `release`; `reached` resolves when the first one is held. */
export function latch(): { reached: Promise<void>; hold(): Promise<void>; release(): void } {
  let release = () => {};
  let reach = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const hold = () => {
    reach();
    return released;
  };
  return { reached, hold, release };
}
