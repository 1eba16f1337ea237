import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { openApiPort } from "@/e2e/fixtures/api-port";
import { testDatabase } from "@/e2e/fixtures/database";
import { testTenant } from "@/e2e/fixtures/factories";
import { aFile } from "@/e2e/samples";
import { createApiKey } from "@/lib/domain/api-keys/issue-keys";
import { provideService } from "@/lib/http/current-service";

const { db } = await testDatabase();

test("merchants that trickle files into every slot don't keep another one from uploading", async () => {
  const { service } = await testTenant(db);
  const port = await openApiPort(provideService(service), (error) => service.log.error({ err: error }));
  const newKey = async () => {
    const { merchant } = await testTenant(db);
    const made = await createApiKey(service, {
      environmentId: merchant.test.id,
      name: "Files",
      permissions: ["dispute.write"],
    });
    return made.secret;
  };
  /** Sends one byte after another of a file that never ends; resolves with the response. */
  const trickle = async (key: string) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    onTestFinished(() => void socket.destroy());
    await once(socket, "connect");
    socket.write(
      `POST /v1/files HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${key}\r\n` +
        "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 5000000\r\n\r\n",
    );
    const pace = setInterval(() => socket.write("x"), 100);
    onTestFinished(() => clearInterval(pace));
    let response = "";
    socket.on("data", (chunk) => {
      response += chunk;
    });
    return { response: () => response };
  };
  const attackers = await Promise.all([newKey(), newKey(), newKey()]);
  const slow = await Promise.all([...attackers, ...attackers].map(trickle));
  const honest = await newKey();
  const refused = () => slow.filter(({ response }) => response().startsWith("HTTP/1.1 429"));
  // Their uploads wait for each other first.
  await vi.waitFor(() => expect(refused()).not.toEqual([]), { timeout: 15_000 });
  const uploaded = await fetch(`http://127.0.0.1:${port}/v1/files`, {
    method: "POST",
    headers: { "X-Api-Key": honest },
    body: aFile(Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(2_000_000)])),
  });
  expect(uploaded.status).toBe(201);
  expect(refused()[0]?.response()).toContain("too slowly");
}, 60_000);
