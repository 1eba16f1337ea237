import { updateDisputeBody } from "@/lib/contract/disputes/dispute";
import type { Context, Reply } from "@/lib/domain/context";
import { createFile } from "@/lib/domain/disputes/files";
import { acceptDispute, submitDispute } from "@/lib/domain/disputes/respond";
import { updateDispute } from "@/lib/domain/disputes/update-evidence";

type Verb = {
  readonly endpoint: string;
  readonly path: (target: string) => string;
  readonly call: (ctx: Context, target: string, body: object) => Promise<Reply>;
};

const of = (target: string, act = "") => `/v1/disputes/${target}${act}`;
const RECEIPT = Buffer.from("%PDF-1.4 a receipt");

/** Requests of a merchant about a dispute, by what the simulation calls them. */
const VERBS = {
  update: {
    endpoint: "updateDispute",
    path: (target) => of(target),
    call: (ctx, id, body) => updateDispute(ctx, { ...updateDisputeBody.parse(body), id }),
  },
  submit: {
    endpoint: "submitDispute",
    path: (target) => of(target, "/submit"),
    call: (ctx, id) => submitDispute(ctx, { id }),
  },
  accept: {
    endpoint: "acceptDispute",
    path: (target) => of(target, "/accept"),
    call: (ctx, id) => acceptDispute(ctx, { id }),
  },
  upload: {
    endpoint: "createFile",
    path: () => "/v1/files",
    call: (ctx) =>
      createFile(ctx, {
        file: { name: "receipt.pdf", size: RECEIPT.byteLength, sha256: "0".repeat(64) },
        bytes: RECEIPT,
      }),
  },
} satisfies Record<string, Verb>;

/** A request about a dispute; `target` is empty for a new file. */
export type DisputeAsk = { readonly what: "dispute"; readonly verb: keyof typeof VERBS; readonly target: string };

export const disputeRoute = ({ verb, target }: DisputeAsk) => ({
  endpoint: VERBS[verb].endpoint,
  path: VERBS[verb].path(target),
});

export const callDispute = (ctx: Context, { verb, target }: DisputeAsk, body: object): Promise<Reply> =>
  VERBS[verb].call(ctx, target, body);

/** The dashboard's answer to a member about a request; `status` is null for a refusal. */
export type Decision = {
  readonly requestId: string;
  readonly act: "request" | "approve" | "reject" | "withdraw";
  readonly by: string;
  readonly status: string | null;
  readonly decidedBy: string | null;
};
