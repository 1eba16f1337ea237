import Link from "next/link";
import { PERMISSIONS } from "@/lib/contract/permissions";

export type BaseUrls = { baseUrl: string; sandboxBaseUrl: string | null; liveBaseUrl: string | null };

/** Permissions of operations that a key can call; the others belong to parts of the service outside this reference. */
export function Authentication({ urls, usedPermissions }: { urls: BaseUrls; usedPermissions: ReadonlySet<string> }) {
  const { baseUrl, sandboxBaseUrl, liveBaseUrl } = urls;
  const apart = sandboxBaseUrl !== null || liveBaseUrl !== null;
  return (
    <>
      <h2 id="authentication">Authentication</h2>
      <p>
        Send your secret key in the <code className="tick">X-Api-Key</code> header of every request, from your server
        only. A key belongs to one merchant and one environment: <code className="tick">sk_test_…</code> is the sandbox,{" "}
        <code className="tick">sk_live_…</code> is live. Data of the one never appears in the other.
      </p>
      {apart ? (
        <ul>
          <li>
            Sandbox: <code className="tick">{sandboxBaseUrl ?? baseUrl}</code>
          </li>
          <li>
            Live: <code className="tick">{liveBaseUrl ?? baseUrl}</code>
          </li>
        </ul>
      ) : (
        <p>
          Both environments are at <code className="tick">{baseUrl}</code>; the key decides.
        </p>
      )}
      <p>
        Keys carry permissions, and can carry an expiry and an allow list of addresses. An operation that the key may
        not do is refused with <Link href="/docs/errors/permission_denied">permission_denied</Link> before anything is
        looked up. The permissions of these operations:
      </p>
      <p className="leading-7">
        {PERMISSIONS.filter((name) => usedPermissions.has(name)).map((name) => (
          <span key={name}>
            <code className="tick whitespace-nowrap">{name}</code>{" "}
          </span>
        ))}
      </p>
      <p>
        A key that is revoked or disabled stops working within a second. Unknown, revoked and expired keys all get the
        same answer: <Link href="/docs/errors/api_key_invalid">api_key_invalid</Link>.
      </p>
    </>
  );
}
