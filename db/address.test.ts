import { expect, test } from "vitest";
import { labelOf, parseAddress } from "./address";

const tcp = (host: string, port: number) => expect.objectContaining({ host, port });

test("a URL is parsed as psql parses it", () => {
  expect(parseAddress("postgres://u:p%40ss@db.example:6000/shop?search_path=a")).toEqual({
    user: "u",
    password: "p@ss",
    database: "shop",
    tls: { mode: null },
    settings: { search_path: "a" },
    hosts: [{ host: "db.example", port: 6000, label: "db.example:6000" }],
  });
  expect(parseAddress("postgresql://u:a:b@h").password).toBe("a:b");
  expect(parseAddress("postgres://u@h").database).toBe("u");
  expect(parseAddress("postgres://u@h?dbname=d&user=v&password=w")).toMatchObject({
    database: "d",
    user: "v",
    password: "w",
  });
});

test("several hosts, each with its port or all with one", () => {
  expect(parseAddress("postgres://u:p@h1:5432,h2:5433/db?target_session_attrs=read-write").hosts).toEqual([
    tcp("h1", 5432),
    tcp("h2", 5433),
  ]);
  expect(parseAddress("postgres://u@h1,[::1]:7/db").hosts).toEqual([tcp("h1", 5432), tcp("::1", 7)]);
  expect(parseAddress("postgres:///db?host=h1,h2&port=6000").hosts).toEqual([tcp("h1", 6000), tcp("h2", 6000)]);
  expect(parseAddress("postgres:///db?host=h1,h2&port=1,2").hosts).toEqual([tcp("h1", 1), tcp("h2", 2)]);
  expect(labelOf(parseAddress("postgres://u:secret@h1,[::1]:7/db"))).toBe("h1:5432 or [::1]:7");
});

test("Unix sockets, as a parameter or as the host", () => {
  for (const url of ["postgres://u@/db?host=/run/postgresql", "postgres://u@%2Frun%2Fpostgresql/db"]) {
    expect(parseAddress(url).hosts).toEqual([{ path: "/run/postgresql/.s.PGSQL.5432", label: "/run/postgresql" }]);
  }
  expect(parseAddress("postgres:///db?host=/tmp&port=5433").hosts[0]).toMatchObject({ path: "/tmp/.s.PGSQL.5433" });
  expect(parseAddress("postgres://u@%2Ftmp:5433/db").hosts[0]).toMatchObject({ path: "/tmp/.s.PGSQL.5433" });
});

test("parameters for other programs are ignored, and the TLS mode is kept", () => {
  const { settings, tls } = parseAddress("postgres://u@h/d?sslmode=require&connect_timeout=3&channel_binding=require");
  expect(settings).toEqual({});
  expect(tls).toEqual({ mode: "require" });
  expect(parseAddress("postgres://u@h/d?sslrootcert=system").tls).toEqual({ mode: "verify-full" });
});

test("an invalid URL is refused in one sentence without the password", () => {
  const wrong = [
    ...["mysql://u:secret@h/d", "postgres:/u:secret@h", "postgres://u:secret@h:99999/d", "postgres://u:secret@h:x/d"],
    ...["postgres://u:secret@h/d?sslmode=on", "postgres://u:secret@h/d?target_session_attrs=standby", "nonsense"],
    ...[
      "postgres://u:secret%zz@h/d",
      "postgres://u:secret@h1,h2/d?port=1,2,3",
      "postgres://u:secret@h/d?sslrootcert=/no",
    ],
    ...["postgres://u:secret@h/d?a'b=1"],
  ];
  for (const url of wrong) {
    let message = "";
    try {
      parseAddress(url);
    } catch (error) {
      expect((error as Error).name).toBe("ConfigurationError");
      message = (error as Error).message;
    }
    expect(message, url).toMatch(/^.*DATABASE_URL.*\.$/);
    expect(message).not.toContain("secret");
  }
});
