import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listDisputes } from "@/lib/contract/disputes/endpoints";
import type { Permission } from "@/lib/contract/permissions";
import { test } from "../browser";
import { expect } from "../fixtures/playwright";
import { copyFrom, has, shell } from "./reader";

if (["curl", "bash"].every(has))
  test("the guide's commands take a disputed payment to a won dispute, as copied", async ({
    page,
    context,
    baseUrl,
    tenant,
  }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: new URL(baseUrl).origin });
    await page.goto("/docs/disputes");
    const makeKey = await copyFrom(page, "Create a key for disputes");
    const permissions = (/--permissions (\S+)/.exec(makeKey)?.[1] ?? "").split(",") as Permission[];
    const { secret } = await tenant.newKey({ permissions });
    const env: Record<string, string> = { CARDLANE_KEY: secret };
    const run = async <T>(title: string) => JSON.parse(shell(`${await copyFrom(page, title)} -s`, env)) as T;
    expect(await copyFrom(page, "Store the key")).toBe("export CARDLANE_KEY=sk_test_…");
    env.PAYMENT = (await run<{ id: string }>("Take a payment")).id;
    expect(await copyFrom(page, "Store the payment’s id")).toBe("export PAYMENT=pay_…");
    await expect.poll(async () => (await tenant.api.call(listDisputes)).ok().data.length, { timeout: 20_000 }).toBe(1);
    const { data } = await run<{ data: { id: string; available_actions: string[] }[] }>("Find the payment’s dispute");
    expect(data[0]?.available_actions).toEqual(["update", "submit", "accept"]);
    expect(await copyFrom(page, "Store its id")).toBe("export DISPUTE=dp_…");
    env.DISPUTE = data[0]?.id ?? "";
    const note = join(tmpdir(), "delivery-note.pdf");
    writeFileSync(note, "%PDF-1.7\n%%EOF");
    const upload = (await copyFrom(page, "Upload a delivery note")).replace("@delivery-note.pdf", `@${note}`);
    const file = JSON.parse(shell(`${upload} -s`, env)) as { id: string };
    expect(file).toMatchObject({ object: "file", name: "delivery-note.pdf" });
    expect(await copyFrom(page, "Store the file’s id")).toBe("export FILE=file_…");
    env.FILE = file.id;
    const saved = await run("Save evidence");
    expect(saved).toMatchObject({ evidence: { shipping_carrier: "DHL", files: [file.id] } });
    expect(await run("Submit the evidence")).toMatchObject({ status: "WON" });
  });
