/**
 * A loader for the build: stops packages from adding a <style> to the page while they load, because the page's
 * policy refuses it. Their style sheets are imported instead (components/ui/toaster.tsx).
 */
module.exports = function withoutInjectedStyles(source) {
  const call = /^__insertCSS\(".*"\);?$/m;
  if (!call.test(source)) throw new Error(`${this.resourcePath} no longer injects its styles the way it did.`);
  return source.replace(call, "");
};
