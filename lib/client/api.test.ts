import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ApiError, callApi, onReauthenticationNeeded } from "./api";

const refused = () =>
  Response.json({ code: "permission_denied", detail: "Confirm first.", proof_required: "password" }, { status: 403 });
const done = () => Response.json({ id: "pay_1" }, { status: 201 });
const fetched = vi.fn<typeof fetch>();
const refund = (key: string) =>
  callApi("POST /v1/payments/{id}/refund", {
    params: { id: "pay_1" },
    mode: "test",
    body: { amount: 1 },
    idempotencyKey: key,
  });
const keysSent = () => fetched.mock.calls.map(([, init]) => new Headers(init?.headers).get("x-idempotency-key") ?? "");

beforeEach(() => void vi.stubGlobal("fetch", fetched.mockReset()));
afterEach(() => void vi.unstubAllGlobals());

test("a request that needs re-authentication is repeated after it, unchanged and under the same key", async () => {
  fetched.mockResolvedValueOnce(refused()).mockResolvedValueOnce(done());
  const end = onReauthenticationNeeded(async () => true);
  expect((await refund("key-1")).data).toEqual({ id: "pay_1" });
  expect(keysSent()).toEqual(["key-1", "key-1"]);
  expect(fetched.mock.calls[1]?.[1]?.body).toBe(fetched.mock.calls[0]?.[1]?.body);
  end();
});

test("concurrent refusals open one dialog, and each request continues under its own key", async () => {
  let isProved = false;
  fetched.mockImplementation(async () => (isProved ? done() : refused()));
  const asker = vi.fn(async () => {
    await expect.poll(() => fetched.mock.calls).toHaveLength(3);
    isProved = true;
    return true;
  });
  const end = onReauthenticationNeeded(asker);
  await Promise.all(["a", "b", "c"].map(refund));
  expect(asker).toHaveBeenCalledTimes(1);
  expect(keysSent().toSorted((a, b) => a.localeCompare(b))).toEqual(["a", "a", "b", "b", "c", "c"]);
  end();
});

test("the refusal is returned, and nothing resent, if the user cancels or the page has no dialog", async () => {
  fetched.mockImplementation(async () => refused());
  const end = onReauthenticationNeeded(async () => false);
  await expect(refund("key-1")).rejects.toBeInstanceOf(ApiError);
  end();
  await expect(refund("key-1")).rejects.toMatchObject({ code: "permission_denied" });
  expect(fetched).toHaveBeenCalledTimes(2);
});

test("re-authentication that does not help is requested only once", async () => {
  fetched.mockImplementation(async () => refused());
  const asker = vi.fn(async () => true);
  const end = onReauthenticationNeeded(asker);
  await expect(refund("key-1")).rejects.toMatchObject({ status: 403 });
  expect(asker).toHaveBeenCalledTimes(1);
  end();
});
