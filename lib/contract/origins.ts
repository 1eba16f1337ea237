/** Origins become part of a Content-Security-Policy; URLs allow characters in host names that would end it. */
const PLAIN_ORIGIN = /^https?:\/\/[\w.-]+(:\d+)?$|^https?:\/\/\[[\da-f:]+\](:\d+)?$/;

/** Whether a text is an origin as browsers write it: scheme and host, no path. */
export const isOrigin = (text: string): boolean =>
  PLAIN_ORIGIN.test(text) && URL.canParse(text) && new URL(text).origin === text;
