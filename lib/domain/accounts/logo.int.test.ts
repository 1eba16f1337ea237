import { beforeEach, expect, test } from "vitest";
import { testDatabase } from "@/e2e/fixtures/database";
import { png, webp } from "@/e2e/fixtures/pictures";
import { actsOf, cookieOf, testUsers } from "@/e2e/fixtures/users";
import { MAX_LOGO_BYTES } from "@/lib/contract/accounts/logo";
import { logoResponse } from "@/lib/http/checkout-page";
import { provideService } from "@/lib/http/current-service";
import { dashboardRoutes } from "@/lib/http/dashboard-endpoints";
import { getLogo, removeLogo, replaceLogo } from "./logo";

const { db } = await testDatabase();
const users = await testUsers(db);
beforeEach(() => void provideService(users.service));

const base64 = (bytes: Buffer) => ({ image: bytes.toString("base64") });
const served = async (src: string) => {
  const response = await logoResponse(new Request(`http://cardlane.test${src}`), src.slice("/logo/".length));
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
};

test("test and live share one logo, at a URL named by its digest; a new one replaces it, and each change is audited", async () => {
  const { newUser, merchant, call, stranger } = await testUsers(db);
  const { ctx } = await newUser("owner");
  expect(await getLogo(ctx)).toBeNull();
  const first = await replaceLogo(ctx, base64(png(120, 40)));
  expect(first).toMatchObject({ width: 120, height: 40 });
  await replaceLogo(ctx, base64(png(120, 40)));
  expect(await getLogo(call({ environment: merchant.live }))).toEqual(first);
  expect(await getLogo(call({ environment: stranger.test }))).toBeNull();
  const response = await served(first.src);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/png"]);
  expect(response.bytes.equals(png(120, 40))).toBe(true);
  const second = await replaceLogo(ctx, base64(webp(64, 64)));
  expect((await served(first.src)).status).toBe(404);
  expect((await served(second.src)).headers.get("content-type")).toBe("image/webp");
  await removeLogo(ctx);
  await removeLogo(ctx);
  expect((await served(second.src)).status).toBe(404);
  expect(await getLogo(ctx)).toBeNull();
  const action = "settings.logo_updated";
  expect(await actsOf(db, merchant.live.id)).toEqual([
    { action, detail: { changes: { logo: [null, "120 × 40 px"] } } },
    { action, detail: { changes: { logo: ["120 × 40 px", "64 × 64 px"] } } },
    { action, detail: { changes: { logo: ["64 × 64 px", null] } } },
  ]);
});

test("a picture that two merchants use stays until both have removed it", async () => {
  const [one, other] = [await testUsers(db), await testUsers(db)];
  const [a, b] = [(await one.newUser("owner")).ctx, (await other.newUser("owner")).ctx];
  const { src } = await replaceLogo(a, base64(png(30, 31)));
  expect((await replaceLogo(b, base64(png(30, 31)))).src).toBe(src);
  await removeLogo(a);
  expect((await served(src)).status).toBe(200);
  await removeLogo(b);
  expect((await served(src)).status).toBe(404);
});

test("only an owner uploads a logo, of at most 256 kB; any other body is refused with a 4xx status", async () => {
  const owner = await cookieOf(users.service, await users.newUser("owner"));
  const viewer = await cookieOf(users.service, await users.newUser("viewer"));
  const send = async (body: string, cookie = owner) => {
    const headers = {
      cookie,
      host: "cardlane.test",
      "sec-fetch-site": "same-origin",
      "content-type": "application/json",
    };
    const url = "http://cardlane.test/api/dashboard/business/logo";
    const response = await dashboardRoutes.POST(new Request(url, { method: "POST", headers, body }));
    return [response.status, ((await response.json()) as { detail?: string }).detail ?? ""] as const;
  };
  const sized = (bytes: number) => JSON.stringify(base64(Buffer.concat([png(), Buffer.alloc(bytes - png().length)])));
  expect((await send(sized(MAX_LOGO_BYTES), viewer))[0]).toBe(403);
  expect((await send(sized(MAX_LOGO_BYTES)))[0]).toBe(200);
  expect(await send(sized(MAX_LOGO_BYTES + 1))).toEqual([400, expect.stringContaining("at most 256 kB")]);
  expect((await send(sized(4 * MAX_LOGO_BYTES)))[0]).toBe(413);
  for (const image of ["", "?", "A", "AAA=A", "data:image/png;base64,AAAA", 7, null])
    expect((await send(JSON.stringify({ image })))[0], String(image)).toBe(400);
});
