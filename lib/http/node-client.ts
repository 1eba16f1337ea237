import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The client for Node as a tarball, which merchants install from their service. */

/** Names this build's file, below `public`. */
export const NODE_CLIENT = "sdk/node-client.json";
/** Its address in the guides, which leads to the tarball of this build. */
export const WRITTEN_NODE_CLIENT = "/sdk/node.tgz";
export const NODE_CLIENT_FILE = /^node-\d{1,4}\.\d{1,4}\.\d{1,4}-[\da-f]{12}\.tgz$/;

/** The address contains version and digest, so that entries in lock files stay valid. */
export const nodeClientPath = (version: string, tarball: Buffer): string =>
  `sdk/node-${version}-${createHash("sha256").update(tarball).digest("hex").slice(0, 12)}.tgz`;

/** The address of this build's client; null before a build. */
export function findNodeClient(root = process.cwd()): string | null {
  try {
    const { file } = JSON.parse(readFileSync(join(root, "public", NODE_CLIENT), "utf8")) as { file: string };
    return `/sdk/${file}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Path of this build's client, or the one that redirects to it. */
export const currentNodeClient = (): string => findNodeClient() ?? WRITTEN_NODE_CLIENT;

/** Handles an address below /sdk that is no file. npm shows the `error` of a response. */
export function missingClientResponse(name: string, baseUrl: string): Response {
  const current = findNodeClient();
  const headers = { "Cache-Control": "no-store" };
  if (current !== null && `/sdk/${name}` === WRITTEN_NODE_CLIENT) {
    return new Response(null, { status: 302, headers: { ...headers, Location: current } });
  }
  const error =
    current !== null && NODE_CLIENT_FILE.test(name)
      ? `This service no longer has this build of the client. Install the current one: npm install ${baseUrl}${current}`
      : "There is no such file.";
  return Response.json({ error }, { status: 404, headers });
}
