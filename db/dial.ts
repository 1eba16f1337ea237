import { connect, isIP, type Socket } from "node:net";
import { type ConnectionOptions, checkServerIdentity, connect as connectTls } from "node:tls";
import type { Host, Tls } from "./address";

/** The server and DATABASE_URL do not agree about TLS. Waiting does not help. */
export class TlsMismatch extends Error {
  override readonly name = "TlsMismatch";
}

const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const YES = "S".charCodeAt(0);

/** A socket to one server, encrypted as `tls` requires. The owner of `signal` ends an attempt that takes too long. */
export async function dial(host: Host, tls: Tls, signal: AbortSignal): Promise<Socket> {
  const mode = "path" in host ? "disable" : (tls.mode ?? (isThisMachine(host.host) ? "disable" : "prefer"));
  const socket = await opened(host, signal);
  if (mode === "disable" || mode === "allow") return socket;
  if (!(await offersTls(socket, signal))) {
    if (mode === "prefer") return socket;
    socket.destroy();
    throw new TlsMismatch(`it offers no TLS, which sslmode=${mode} requires`);
  }
  return await encrypted(socket, host as { host: string }, { ...tls, mode }, signal);
}

const isThisMachine = (host: string) => host === "localhost" || host === "::1" || host.startsWith("127.");

function opened(host: Host, signal: AbortSignal): Promise<Socket> {
  const socket = "path" in host ? connect(host.path) : connect({ host: host.host, port: host.port });
  socket.setNoDelay(true);
  socket.setKeepAlive(true, 30_000);
  return settled(socket, "connect", signal);
}

/** The socket at its event. */
async function settled(socket: Socket, event: "connect" | "secureConnect", signal: AbortSignal): Promise<Socket> {
  // An error without a listener would end the process.
  socket.on("error", () => {});
  await first(socket, event, signal);
  return socket;
}

async function offersTls(socket: Socket, signal: AbortSignal): Promise<boolean> {
  socket.write(SSL_REQUEST);
  const [bytes] = (await first(socket, "data", signal)) as [Buffer];
  if (bytes.length === 1) return bytes[0] === YES;
  // Anything behind the one byte would be an attacker's, in the hope that it is read as encrypted.
  socket.destroy();
  throw new TlsMismatch("it answers the TLS request with more than one byte");
}

/** What comes with the socket's next event. The socket is destroyed, and the reason thrown, when its end or the signal is first. */
function first(socket: Socket, event: string, signal: AbortSignal): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      leave();
      socket.destroy();
      reject(error);
    };
    const abort = () => fail(signal.reason as Error);
    const close = () => fail(Object.assign(new Error("the server ended the connection"), { code: "ECONNRESET" }));
    const done = (...given: unknown[]) => {
      leave();
      resolve(given);
    };
    const leave = () => {
      socket.off(event, done).off("error", fail).off("close", close);
      signal.removeEventListener("abort", abort);
    };
    socket.once(event, done).once("error", fail).once("close", close);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
  });
}

async function encrypted(socket: Socket, { host }: { host: string }, tls: Tls, signal: AbortSignal): Promise<Socket> {
  const verifies = tls.mode === "verify-ca" || tls.mode === "verify-full" || (tls.mode === "require" && tls.ca);
  const options: ConnectionOptions = {
    socket,
    ...(isIP(host) === 0 && { servername: host }),
    ...(tls.ca && { ca: tls.ca }),
    ...(tls.cert && { cert: tls.cert }),
    ...(tls.key && { key: tls.key }),
    rejectUnauthorized: Boolean(verifies),
    checkServerIdentity: (_name, certificate) =>
      tls.mode === "verify-full" ? checkServerIdentity(host, certificate) : undefined,
  };
  try {
    return await settled(connectTls(options), "secureConnect", signal);
  } catch (error) {
    if (signal.aborted || !verifies) throw error;
    throw new TlsMismatch(`its certificate is not accepted (${(error as Error).message})`);
  }
}
