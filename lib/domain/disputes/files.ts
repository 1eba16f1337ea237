import { type FileFacts, findFile, insertFile, removeFiles as removeDueFiles } from "@/db/queries/files";
import { FILES_KEPT_DAYS, type FileType, MAX_FILE_NAME } from "@/lib/contract/disputes/evidence";
import type { CreateFileBody, File } from "@/lib/contract/disputes/file";
import { AppError } from "@/lib/contract/errors";
import { decodeId, encodeId } from "@/lib/contract/ids";
import { API_ENVIRONMENTS, type Mode } from "@/lib/contract/transactions/words";
import { type Context, environmentNow, newEnvironmentId, type Reply, resourceNotFound, type Service } from "../context";
import { runOnce } from "../idempotency/run-once";

/** Max size of an environment's files in total, in bytes. */
const MAX_STORED_BYTES: Record<Mode, number> = { test: 100 * 1024 * 1024, live: 2 * 1024 * 1024 * 1024 };

/** Stores an upload. Its type is read from its content, whatever its name says. */
export async function createFile(
  ctx: Context,
  { file: { name }, bytes }: CreateFileBody & { bytes: Buffer },
): Promise<Reply> {
  const type = detectType(bytes);
  const { id: environment_id, mode } = ctx.environment;
  const reply = await runOnce(ctx, async (tx) => {
    const row = {
      environment_id,
      id: newEnvironmentId(ctx),
      name: oneLine(name),
      type,
      size: bytes.byteLength,
      bytes,
      created_by: ctx.actor,
      created_at: environmentNow(ctx).toISOString(),
    };
    const stored = await insertFile(tx, row, MAX_STORED_BYTES[mode]);
    if (!stored) throw noRoom(mode);
    return presentFile(stored, mode);
  });
  return { ...reply, keptBytes: bytes.byteLength };
}

const noRoom = (mode: Mode) =>
  new AppError(
    "body_too_large",
    `The files of this environment would take more than ${MAX_STORED_BYTES[mode] / 1024 / 1024} MB. Remove files from disputes that still need a response; unused ones are deleted after a day, and those of ended disputes ${FILES_KEPT_DAYS[mode]} days after the end.`,
    { param: "file" },
  );

/** A name appears in headers and lists: one line, without control characters or text that changes direction. */
const oneLine = (name: string) =>
  name
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, " ")
    .trim()
    .slice(0, MAX_FILE_NAME) || "file";

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);

function detectType(bytes: Buffer): FileType {
  if (bytes.subarray(0, 5).toString("latin1") === "%PDF-") return "application/pdf";
  if (bytes.subarray(0, 8).equals(PNG) && bytes.toString("latin1", 12, 16) === "IHDR") return "image/png";
  if (bytes.subarray(0, 3).equals(JPEG)) return "image/jpeg";
  throw new AppError(
    "invalid_parameter",
    "The file is not a PDF, PNG or JPEG, despite its name. Export it in one of these formats.",
    {
      param: "file",
      errors: [{ param: "file", code: "invalid_parameter", message: "Send a PDF, PNG or JPEG file." }],
    },
  );
}

export async function getFile(ctx: Context, input: { id: string }): Promise<File> {
  const id = decodeId("file", input.id);
  const row = id && (await findFile(ctx.service.db.within(ctx.environment.id).orm, ctx.environment.id, id));
  if (!row) throw resourceNotFound("file", input.id);
  return presentFile(row, ctx.environment.mode);
}

export const presentFile = (row: FileFacts, mode: Mode): File => ({
  id: encodeId("file", row.id),
  object: "file",
  name: row.name,
  type: row.type,
  size: row.size,
  environment: API_ENVIRONMENTS[mode],
  created_at: row.created_at,
});

const BATCH = 100;

/** Job that removes unused files, and those of disputes that ended long ago. Returns the number. */
export const removeFiles = (service: Service): Promise<number> => removeDueFiles(service.db.orm, BATCH);
