/** Parameters of the embed code for one session. `baseUrl` is Cardlane's, without a trailing slash. */
export type EmbedCode = {
  baseUrl: string;
  token: string;
  /** The session has a return address. */
  returns: boolean;
};

/** Complete markup for a page of an allowed origin. */
export const htmlCode = ({ baseUrl, token, returns }: EmbedCode) => `<div id="payment"></div>

<script src="${baseUrl}/sdk/v1.js"></script>
<script>
  Cardlane.mount("#payment", {
    token: "${token}",
    onSuccess(result) {
      // Before you deliver, your server fetches the session.
      window.location.assign(${nextPage(returns)});
    },
    onError(error) {
      console.warn(error.code, error.message);
    },
  });
</script>`;

export const reactCode = ({ baseUrl, token, returns }: EmbedCode) => `import { useEffect, useRef } from "react";

// Once, in the HTML of the page:
// <script src="${baseUrl}/sdk/v1.js"></script>

export function Payment({ token }) {
  const element = useRef(null);

  useEffect(() => {
    const frame = window.Cardlane.mount(element.current, {
      token,
      onSuccess(result) {
        // Before you deliver, your server fetches the session.
        window.location.assign(${nextPage(returns)});
      },
      onError(error) {
        console.warn(error.code, error.message);
      },
    });
    return () => frame.unmount();
  }, [token]);

  return <div ref={element} />;
}

export function CheckoutPage() {
  return <Payment token="${token}" />;
}`;

const nextPage = (returns: boolean) =>
  returns ? "result.returnUrl" : '"/thank-you?session=" + result.clientSessionId';
