import { once } from "node:events";
import { isIP, type Socket } from "node:net";
import { checkServerIdentity, connect } from "node:tls";
import type { Host, Tls } from "./address";

/** The server and DATABASE_URL do not agree about TLS. Waiting does not help. */
export class TlsMismatch extends Error {
  override readonly name = "TlsMismatch";
}

const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const YES = "S".charCodeAt(0);

/** Gets a new socket, to listen to its end; `explain` describes its errors. */
type Adopt = (socket: Socket, explain: (error: Error) => Error) => void;

/**
 * The connected socket, or one around it that is encrypted as `tls` requires: that is adopted before its
 * handshake. Throws TlsMismatch, or when `signal` aborts.
 */
export async function encrypt(
  socket: Socket,
  host: Host,
  tls: Tls,
  signal: AbortSignal,
  adopt: Adopt,
): Promise<Socket> {
  if ("path" in host) return socket;
  const mode = tls.mode ?? (isThisMachine(host.host) ? "disable" : "prefer");
  if (mode === "disable" || mode === "allow") return socket;
  socket.write(SSL_REQUEST);
  const [bytes] = (await once(socket, "data", { signal })) as [Buffer];
  // Anything behind the one byte would be an attacker's, in the hope that it is read as encrypted.
  if (bytes.length > 1) throw new TlsMismatch("it answers the TLS request with more than one byte");
  if (bytes[0] !== YES) {
    if (mode === "prefer") return socket;
    throw new TlsMismatch(`it offers no TLS, which sslmode=${mode} requires`);
  }
  const verifies = mode === "verify-ca" || mode === "verify-full" || (mode === "require" && tls.ca !== undefined);
  const { ca, cert, key } = tls;
  const secure = connect({
    socket,
    ...(isIP(host.host) === 0 && { servername: host.host }),
    ca,
    cert,
    key,
    rejectUnauthorized: verifies,
    checkServerIdentity: (_name, certificate) =>
      mode === "verify-full" ? checkServerIdentity(host.host, certificate) : undefined,
  });
  let isSecure = false;
  adopt(secure, (error) =>
    verifies && !isSecure ? new TlsMismatch(`its certificate is not accepted (${error.message})`) : error,
  );
  await once(secure, "secureConnect", { signal });
  isSecure = true;
  return secure;
}

const isThisMachine = (host: string) => host === "localhost" || host === "::1" || host.startsWith("127.");
