import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { createSender, type Dial } from "./sender";
import { openGuard, publicGuard, SsrfGuardError } from "./ssrf-guard";

/** The tests' names and their addresses; any other name does not exist. */
const NAMES: Record<string, string[]> = {
  "shop.example": ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"],
  "private.example": ["10.0.0.5"],
  "loopback.example": ["127.0.0.1"],
  "loopback6.example": ["::1"],
  "metadata.example": ["169.254.169.254"],
  "mapped.example": ["::ffff:10.0.0.5"],
  "nat64.example": ["64:ff9b::a00:5"],
  "mixed.example": ["93.184.215.14", "192.168.1.1"],
  "mixed6.example": ["93.184.215.14", "fd00::1"],
  "cgnat.example": ["100.64.0.1"],
  "nothing.example": [],
};
const resolve = async (name: string) => NAMES[name] ?? [];
const guard = publicGuard(resolve);

/** A dialer that records the addresses and connects to nothing. */
function recordingDial(remoteAddress?: string) {
  const dialed: string[] = [];
  const written: string[] = [];
  const dial: Dial = (_target, address) => {
    dialed.push(address);
    const socket = Object.assign(new EventEmitter(), {
      remoteAddress: remoteAddress ?? address,
      write: (text: string) => written.push(text),
      destroy: () => {},
    });
    setImmediate(() => socket.emit(remoteAddress ? "secureConnect" : "error", new Error("nobody is there")));
    return socket as unknown as Socket;
  };
  return { dial, dialed, written };
}

const HOSTILE = [
  // Loopback, in every notation.
  "https://127.0.0.1/",
  "https://127.1/",
  "https://127.0.1/",
  "https://127.255.255.254/",
  "https://2130706433/",
  "https://0x7f000001/",
  "https://0x7f.0.0.1/",
  "https://0x7f.1/",
  "https://0177.0.0.1/",
  "https://017700000001/",
  "https://0177.0x0.0.1/",
  "https://127.0.0.1./",
  "https://%31%32%37.0.0.1/",
  "https://１２７.0.0.1/",
  "https://①②⑦.⓪.⓪.①/",
  "https://127。0。0。1/",
  "https://[::1]/",
  "https://[0:0:0:0:0:0:0:1]/",
  "https://[0000::0001]/",
  "https://localhost/",
  "https://LOCALHOST/",
  "https://localhost./",
  "https://foo.localhost/",
  "https://loopback.example/",
  "https://loopback6.example/",
  // Unspecified, broadcast and multicast.
  "https://0.0.0.0/",
  "https://0/",
  "https://0.1.2.3/",
  "https://[::]/",
  "https://255.255.255.255/",
  "https://224.0.0.1/",
  "https://239.255.255.250/",
  "https://[ff02::1]/",
  // Private networks.
  "https://10.0.0.1/",
  "https://10.255.255.255/",
  "https://167772161/",
  "https://012.0.0.1/",
  "https://0xa.0.0.1/",
  "https://172.16.0.1/",
  "https://172.31.255.255/",
  "https://192.168.0.1/",
  "https://192.168.257/",
  "https://0xc0a80001/",
  "https://[fc00::1]/",
  "https://[fd12:3456:789a::1]/",
  "https://[fec0::1]/",
  "https://private.example/",
  // Link-local, and cloud metadata services.
  "https://169.254.0.1/",
  "https://169.254.169.254/latest/meta-data/",
  "https://2852039166/",
  "https://0xa9fea9fe/",
  "https://0251.0376.0251.0376/",
  "https://[fe80::1]/",
  "https://[fe80::1%25eth0]/",
  "https://[fd00:ec2::254]/",
  "https://168.63.129.16/",
  "https://100.100.100.200/",
  "https://192.0.0.192/",
  "https://metadata.google.internal/",
  "https://metadata.example/",
  // Carrier-grade NAT, benchmarking, documentation, reserved.
  "https://100.64.0.1/",
  "https://100.127.255.255/",
  "https://cgnat.example/",
  "https://192.0.0.1/",
  "https://192.0.2.1/",
  "https://192.88.99.1/",
  "https://198.18.0.1/",
  "https://198.19.255.255/",
  "https://198.51.100.1/",
  "https://203.0.113.1/",
  "https://240.0.0.1/",
  "https://[100::1]/",
  "https://[2001:db8::1]/",
  "https://[3fff::1]/",
  "https://[5f00::1]/",
  // IPv4 inside IPv6: mapped, compatible, translated, 6to4, Teredo, NAT64.
  "https://[::ffff:127.0.0.1]/",
  "https://[::ffff:7f00:1]/",
  "https://[::ffff:10.0.0.1]/",
  "https://[::ffff:169.254.169.254]/",
  "https://[::ffff:93.184.215.14]/",
  "https://[::127.0.0.1]/",
  "https://[::10.0.0.1]/",
  "https://[::ffff:0:127.0.0.1]/",
  "https://[2002:7f00:1::]/",
  "https://[2002:a00:1::1]/",
  "https://[2002:a9fe:a9fe::]/",
  "https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/",
  "https://[64:ff9b::7f00:1]/",
  "https://[64:ff9b::a9fe:a9fe]/",
  "https://[64:ff9b:1::1]/",
  "https://mapped.example/",
  "https://nat64.example/",
  // A public address among others does not make them allowed.
  "https://mixed.example/",
  "https://mixed6.example/",
  // Names that resolve only within a private network.
  "https://router/",
  "https://db.internal/",
  "https://printer.local/",
  "https://nas.lan/",
  "https://1.0.0.127.in-addr.arpa/",
  // Other protocols, other ports, user names.
  "http://shop.example/",
  "ftp://shop.example/",
  "file:///etc/passwd",
  "gopher://shop.example/",
  "data:text/plain,hello",
  "javascript:alert(1)",
  "https://shop.example:22/",
  "https://shop.example:8443/",
  "https://shop.example:80/",
  "https://user@shop.example/",
  "https://user:password@shop.example/",
  "https://:password@shop.example/",
  "https://@shop.example/",
  "https://shop.example@127.0.0.1/",
  "https://shop.example%40@10.0.0.1/",
  "https:\\\\user@shop.example/",
  "//shop.example/",
  "shop.example",
  "https://",
  "not a url",
];

describe("the SSRF guard", () => {
  test("is tested with at least 80 URLs", () => expect(new Set(HOSTILE).size).toBeGreaterThanOrEqual(80));

  test.each(HOSTILE)("%s is refused when saved, and not dialed by a delivery", async (url) => {
    const { dial, dialed } = recordingDial();
    const sender = createSender(guard, dial);
    expect(await sender.findRefusal(url)).toMatch(/\.$/);
    const sent = await sender.send({ url, headers: {}, body: "{}" }, new AbortController().signal);
    expect(sent.kind).toBe("failed");
    expect(dialed).toEqual([]);
  });

  test("the addresses of a public host are dialed one after the other", async () => {
    const { dial, dialed } = recordingDial();
    const sender = createSender(guard, dial);
    for (const url of ["https://shop.example/hook?a=b", "https://SHOP.example:443/", "https://8.8.8.8/"])
      expect(await sender.findRefusal(url), url).toBeNull();
    expect(await sender.findRefusal("https://[2606:4700:4700::1111]/")).toBeNull();
    const sent = await sender.send(
      { url: "https://shop.example/hook", headers: {}, body: "{}" },
      new AbortController().signal,
    );
    expect(sent).toEqual({ kind: "failed", error: "nobody is there" });
    expect(dialed).toEqual(NAMES["shop.example"]);
  });

  test("a name that does not resolve may be saved, and is not dialed", async () => {
    const { dial, dialed } = recordingDial();
    const sender = createSender(guard, dial);
    expect(await sender.findRefusal("https://nothing.example/")).toBeNull();
    const message = { url: "https://nothing.example/", headers: {}, body: "{}" };
    expect(await sender.send(message, new AbortController().signal)).toMatchObject({ kind: "failed" });
    expect(dialed).toEqual([]);
  });

  test("a name that resolves to a private address at the delivery is refused then", async () => {
    const resolutions = [["93.184.215.14"], ["127.0.0.1"]];
    const { dial, dialed } = recordingDial();
    const sender = createSender(
      publicGuard(async () => resolutions.shift() ?? []),
      dial,
    );
    expect(await sender.findRefusal("https://rebinding.example/")).toBeNull();
    const message = { url: "https://rebinding.example/", headers: {}, body: "{}" };
    const sent = await sender.send(message, new AbortController().signal);
    expect(sent).toMatchObject({ kind: "failed", error: "rebinding.example does not lead to a public address." });
    expect(dialed).toEqual([]);
  });

  test("the name is resolved once per delivery, and the resolved address is dialed, not the name", async () => {
    let lookups = 0;
    const { dial, dialed } = recordingDial();
    const once = publicGuard(async () => (lookups++ === 0 ? ["93.184.215.14"] : ["127.0.0.1"]));
    await createSender(once, dial).send(
      { url: "https://rebinding.example/", headers: {}, body: "{}" },
      new AbortController().signal,
    );
    expect([lookups, dialed]).toEqual([1, ["93.184.215.14"]]);
  });

  test("the connected socket's address is checked before a byte is written", async () => {
    for (const remote of ["127.0.0.1", "::ffff:127.0.0.1", "10.1.2.3", "fe80::1%eth0"]) {
      const { dial, dialed, written } = recordingDial(remote);
      const message = { url: "https://shop.example/", headers: {}, body: "{}" };
      const sent = await createSender(guard, dial).send(message, new AbortController().signal);
      expect(sent).toMatchObject({ kind: "failed" });
      expect(dialed.length).toBeGreaterThan(0);
      expect(written).toEqual([]);
    }
  });

  test("the development setting allows all addresses, but neither invalid URLs nor user names", async () => {
    const open = openGuard(resolve);
    expect(await open.check("http://127.0.0.1:4000/hook")).toMatchObject({ port: 4000, addresses: ["127.0.0.1"] });
    expect(open.findRefusal("127.0.0.1")).toBeNull();
    for (const url of ["http://user@127.0.0.1/", "ftp://127.0.0.1/", "nonsense"])
      await expect(open.check(url), url).rejects.toThrow(SsrfGuardError);
  });
});
