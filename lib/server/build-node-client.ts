import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, posix } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { NODE_CLIENT, nodeClientPath, WRITTEN_NODE_CLIENT } from "@/lib/http/node-client";
import { BuildError } from "./build-output";

const SOURCE = join("packages", "node");

/**
 * Builds the Node client into a tarball below `into`, for this service to serve, and returns its path. Keeps
 * earlier tarballs, because merchants' lock files reference them by digest. Throws a BuildError.
 */
export async function buildNodeClient(root: string, into = root): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "cardlane-node-"));
  try {
    await writePackage(root, folder);
    const tarball = pack(folder);
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
    const target = join(into, "public", nodeClientPath(version, tarball));
    mkdirSync(dirname(target), { recursive: true });
    if (!existsSync(target)) replace(target, tarball);
    // Earlier builds wrote a file here, before there was a route to the current tarball.
    rmSync(join(into, "public", WRITTEN_NODE_CLIENT), { force: true });
    replace(join(into, "public", NODE_CLIENT), JSON.stringify({ file: basename(target) }));
    return target;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function replace(file: string, content: string | Buffer): void {
  writeFileSync(`${file}.${process.pid}`, content);
  renameSync(`${file}.${process.pid}`, file);
}

/** Writes the npm package: ES modules and CommonJS, each with its types. */
export async function writePackage(root: string, folder: string): Promise<void> {
  for (const name of ["package.json", "README.md"]) cpSync(join(root, SOURCE, name), join(folder, name));
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  const [esm, cjs] = [join(folder, "dist", "esm"), join(folder, "dist", "cjs")];
  const { stop } = await import("esbuild");
  try {
    await Promise.all([bundle(root, "esm", esm), bundle(root, "cjs", cjs), declare(root, esm)]);
  } finally {
    // Otherwise esbuild's process would run as long as the service.
    await stop();
  }
  for (const name of readdirSync(esm).filter((file) => file.endsWith(".d.ts"))) {
    // The sources import each other as `.ts`; declarations must name the declaration files.
    const types = readFileSync(join(esm, name), "utf8").replace(/(from "\.\/[a-z-]+)\.ts"/g, '$1.js"');
    for (const folder of [esm, cjs]) writeFileSync(join(folder, name), types);
  }
  writeFileSync(join(cjs, "package.json"), '{ "type": "commonjs" }\n');
}

async function bundle(root: string, format: "esm" | "cjs", outdir: string): Promise<void> {
  const { build } = await import("esbuild");
  await build({
    absWorkingDir: root,
    entryPoints: [join(SOURCE, "src", "index.ts")],
    outdir,
    tsconfigRaw: "{}",
    bundle: true,
    platform: "node",
    format,
    target: "node20",
    charset: "utf8",
    logLevel: "silent",
  }).catch((error: Error) => {
    throw new BuildError(error.message);
  });
}

async function declare(root: string, outDir: string): Promise<void> {
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  await promisify(execFile)(process.execPath, [tsc, "-p", join(root, SOURCE), "--outDir", outDir]).catch(
    (error: Error & { stdout?: string }) => {
      throw new BuildError(error.stdout || error.message);
    },
  );
}

/** A reproducible tarball like that of `npm pack`, because npm may not be installed. */
function pack(folder: string): Buffer {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
  const blocks = files.flatMap((file) => {
    const content = readFileSync(file);
    const name = posix.join("package", file.slice(folder.length).replaceAll("\\", "/"));
    return [tarHeader(name, content.length), content, Buffer.alloc(-content.length & 511)];
  });
  const tarball = gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]), { level: 9 });
  // The gzip header's OS byte, fixed to "unknown" so that builds are reproducible.
  tarball[9] = 255;
  return tarball;
}

/** A ustar header like npm's: no owner, and a fixed date in 1985. */
function tarHeader(name: string, size: number): Buffer {
  const header = Buffer.alloc(512);
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, "0")}\0`;
  header.write(name, 0, 100);
  header.write(octal(0o644, 8) + octal(0, 8) + octal(0, 8) + octal(size, 12) + octal(499162500, 12), 100);
  header.write("        0", 148);
  header.write("ustar\x0000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 7)} `, 148);
  return header;
}
