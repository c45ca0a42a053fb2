import { afterEach, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { connect } from "node:net";
import { silentLogger } from "@csi-sidecars/base";
import { Counter, Registry } from "@csi-sidecars/base/prometheus";
import { recordingLogger } from "@csi-sidecars/base/testing";
import { type HttpEndpoint, type HttpServer, serveHttp } from "./http-server.ts";
import { checkPage, metricsPage } from "./pages.ts";
import { findRoute, type Routes } from "./routes.ts";

const open: HttpServer[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

function serve(...endpoints: HttpEndpoint[]): HttpServer {
  const server = serveHttp(endpoints, silentLogger);
  open.push(server);
  return server;
}

function endpoint(routes: Routes, address = "127.0.0.1:0", flag = "http-endpoint"): HttpEndpoint {
  return { address, flag, routes: [routes] };
}

async function get(server: HttpServer, path: string): Promise<readonly [number, string]> {
  const response = await fetch(`http://${server.addresses[0]}${path}`);
  return [response.status, await response.text()];
}

const says = (body: string) => () => ({ status: 200, body });

describe("paths", () => {
  test("answer exactly, with a slash at the end for all below, and 404 otherwise", async () => {
    const server = serve(endpoint({ "/healthz": says("ok"), "/debug/": says("below"), "/debug/a": says("a") }));
    expect(await get(server, "/healthz")).toEqual([200, "ok"]);
    expect(await get(server, "/healthz/")).toEqual([404, "404 page not found\n"]);
    expect(await get(server, "/debug/a")).toEqual([200, "a"]);
    expect(await get(server, "/debug/b/c")).toEqual([200, "below"]);
    expect(await get(server, "/")).toEqual([404, "404 page not found\n"]);
    expect(await get(server, "/constructor")).toEqual([404, "404 page not found\n"]);
  });

  test("are answered by the longest above them", () => {
    const routes = { "/": says("all"), "/debug/": says("below"), "/debug/pprof/": says("profiles"), "/debug/pprof": says("exact") };
    const paths = ["/debug/pprof/a/b", "/debug/pprof", "/debug/p", "/debug", "//"];
    expect(paths.map((path) => findRoute(routes, path))).toEqual(
      (["/debug/pprof/", "/debug/pprof", "/debug/", "/", "/"] as const).map((key) => routes[key]),
    );
  });

  test("cost the same however many slashes they have", () => {
    let lookUps = 0;
    const counted = new Proxy<Routes>(
      { "/healthz": says("ok"), "/debug/": says("below") },
      {
        getOwnPropertyDescriptor(table, key) {
          lookUps++;
          return Reflect.getOwnPropertyDescriptor(table, key);
        },
      },
    );
    const costOf = (path: string) => {
      lookUps = 0;
      expect(findRoute(counted, path)).toBeUndefined();
      return lookUps;
    };
    const few = costOf("/");
    expect(few).toBeGreaterThan(0);
    expect(costOf("/".repeat(16_000))).toBe(few);
  });

  test("are no longer than the head of a request may be", async () => {
    const server = serve(endpoint({ "/": says("all") }));
    const ask = `GET /${"a".repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`;
    const [host = "", port] = server.addresses[0]?.split(":") ?? [];
    const socket = connect(Number(port), host, () => socket.write(ask));
    const [answer] = await once(socket, "data");
    expect(String(answer)).toStartWith("HTTP/1.1 431 ");
    socket.destroy();
  });

  test("that fail are answered with the message, without a stack", async () => {
    const server = serve(
      endpoint({
        "/bad": () => {
          throw new Error("broken");
        },
      }),
    );
    expect(await get(server, "/bad")).toEqual([500, "internal server error: broken\n"]);
  });
});

test("an answer whose client has gone away is no failure", async () => {
  const log = recordingLogger();
  const answered = Promise.withResolvers<void>();
  const server = serveHttp(
    [
      endpoint({
        "/slow": ({ signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener("abort", () => {
              reject(signal.reason);
              answered.resolve();
            });
            leave.abort();
          }),
      }),
    ],
    log,
  );
  open.push(server);
  const leave = new AbortController();
  await fetch(`http://${server.addresses[0]}/slow`, { signal: leave.signal }).catch(() => undefined);
  await answered.promise;
  expect(log.lines.filter(({ severity }) => severity === "error")).toEqual([]);
});

describe("addresses", () => {
  test("that are the same share a listener", async () => {
    const [, port] = serve(endpoint({})).addresses[0]!.split(":");
    open.splice(0).map((server) => server.close());
    const server = serve(endpoint({ "/a": says("a") }, `127.0.0.1:${port}`), endpoint({ "/b": says("b") }, `127.0.0.1:${port}`, "other"));
    expect(server.addresses).toHaveLength(1);
    expect([await get(server, "/a"), await get(server, "/b")]).toEqual([
      [200, "a"],
      [200, "b"],
    ]);
  });

  test("may leave out the host", async () => {
    const server = serve(endpoint({ "/a": says("a") }, ":0"));
    const port = server.addresses[0]!.split(":").at(-1);
    expect(await (await fetch(`http://127.0.0.1:${port}/a`)).text()).toBe("a");
  });

  test("that are taken or nonsense are errors that name the flag", () => {
    const { addresses } = serve(endpoint({}));
    expect(() => serve(endpoint({}, addresses[0], "attacher-http-endpoint"))).toThrow(
      `--attacher-http-endpoint: cannot listen on ${addresses[0]}: address already in use`,
    );
    for (const address of ["8080", "host", "a:b", "127.0.0.1:99999", "[::1]", "::1:80"]) {
      expect(() => serve(endpoint({}, address))).toThrow("--http-endpoint: ");
    }
    const refuse = () => {
      throw Object.assign(new Error("invalid argument"), { code: "EINVAL" });
    };
    expect(() => serveHttp([endpoint({}, "nowhere:80")], silentLogger, refuse)).toThrow(
      "--http-endpoint: cannot listen on nowhere:80: its host is neither an address nor a name that this machine knows",
    );
  });
});

describe("pages", () => {
  test("of checks are short while all pass, and list each check otherwise", async () => {
    let problem: string | undefined;
    let warning: string | undefined;
    const checks = [
      { name: "ping", problem: () => undefined },
      { name: "driver", problem: () => problem, warning: () => warning, detail: () => "named x" },
    ];
    const server = serve(endpoint({ "/readyz": checkPage("readyz", checks) }));
    expect(await get(server, "/readyz")).toEqual([200, "ok"]);
    expect(await get(server, "/readyz?verbose")).toEqual([200, "[+]ping ok\n[+]driver ok (named x)\nreadyz check passed\n"]);
    warning = "slow";
    expect(await get(server, "/readyz")).toEqual([200, "ok"]);
    expect(await get(server, "/readyz?verbose")).toEqual([200, "[+]ping ok\n[!]driver warning: slow (named x)\nreadyz check passed\n"]);
    problem = "not connected";
    expect(await get(server, "/readyz")).toEqual([500, "[+]ping ok\n[-]driver failed: not connected (named x)\nreadyz check failed\n"]);
  });

  test("of metrics are served although a collector fails", async () => {
    const registry = new Registry();
    new Counter({ name: "good_total", help: "-", registers: [registry] }).inc();
    const collect = () => {
      throw new Error("broken");
    };
    new Counter({ name: "bad_total", help: "-", registers: [registry], collect });
    const log = recordingLogger();
    const server = serve(endpoint(metricsPage("/metrics", () => [registry], log)));
    const [status, text] = await get(server, "/metrics");
    expect([status, text.includes("good_total 1")]).toEqual([200, true]);
    expect(log.lines.map(({ message }) => message)).toEqual(["Failed to collect a metric"]);
  });
});
