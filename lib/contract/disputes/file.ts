import { z } from "zod";
import { humanText, timestamp } from "@/lib/contract/fields";
import { idOf } from "@/lib/contract/ids";
import { FILE_TYPES, MAX_FILE_BYTES, MAX_FILE_NAME } from "./evidence";

/** An uploaded document. Its bytes are only downloaded in the dashboard. */
export const file = z
  .object({
    id: idOf("file").describe("Unique id of the file."),
    object: z.literal("file").describe("Always `file`."),
    name: z.string().describe("The file's name, as you sent it."),
    type: z.enum(FILE_TYPES).describe("The media type, read from the content."),
    size: z.int().describe("Size in bytes."),
    environment: z.enum(["sandbox", "live"]).describe("Which of your two environments it belongs to."),
    created_at: timestamp.describe("When it was uploaded."),
  })
  .meta({ id: "File" });
export type File = z.infer<typeof file>;

/** The form's file as it is checked, digested and logged; its content is beside it. */
export const createFileBody = z
  .strictObject({
    file: z.strictObject({
      name: humanText(MAX_FILE_NAME),
      size: z.int().min(1, "The file is empty.").max(MAX_FILE_BYTES),
      /** Hexadecimal. */
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  })
  .meta({ id: "CreateFileRequest" });
export type CreateFileBody = z.infer<typeof createFileBody>;
