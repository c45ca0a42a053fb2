import { afterEach, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { silentLogger, systemClock } from "@csi-sidecars/base";
import { type HttpServer, serveHttp } from "./http-server.ts";
import { profilePages } from "./profiles.ts";

let server: HttpServer | undefined;
afterEach(() => server?.close());

function serveProfiles() {
  server = serveHttp([{ address: "127.0.0.1:0", flag: "http-endpoint", routes: [profilePages(systemClock)] }], silentLogger);
  const url = `http://${server.addresses[0]}`;
  return async (path: string) => {
    const response = await fetch(url + path);
    return { status: response.status, body: Buffer.from(await response.arrayBuffer()) };
  };
}

/** Everything that `net/http/pprof` and `expvar` serve in a Go program. */
const goPages = ["allocs", "block", "cmdline", "goroutine", "heap", "mutex", "profile?seconds=0.05", "symbol", "threadcreate", "trace"]
  .map((name) => `/debug/pprof/${name}`)
  .concat("/debug/pprof/", "/debug/vars", "/debug/");

describe("profiles", () => {
  test("of the CPU have functions and times", async () => {
    const get = serveProfiles();
    const { status, body } = await get("/debug/pprof/profile?seconds=0.05");
    expect([status, Array.isArray(JSON.parse(body.toString()).nodes)]).toEqual([200, true]);
    expect((await get("/debug/pprof/profile?seconds=x")).status).toBe(400);
  });

  test("of memory have totals and the number of objects by type", async () => {
    const get = serveProfiles();
    expect((await get("/debug/pprof/")).body.toString()).toContain("/debug/pprof/heap");
    const { status, body } = await get("/debug/pprof/heap");
    expect(status).toBe(200);
    expect(body.toString()).toContain("not a Go profile");
    expect(body.toString()).toMatch(/^ *[1-9]\d* {2}heap in use, bytes$/m);
    expect(body.toString()).toMatch(/^ *[1-9]\d* {2}string$/m);
  });

  test("have nothing that the process holds", async () => {
    const get = serveProfiles();
    const canary = randomBytes(24).toString("base64url");
    const held = {
      value: canary,
      joined: `Bearer ${canary}`,
      bytes: Buffer.from(canary),
      [canary]: Symbol(canary),
      map: new Map([[canary, 1]]),
    };
    const answers = await Promise.all(goPages.map(async (path) => ({ path, ...(await get(path)) })));
    const forms = [
      Buffer.from(canary),
      Buffer.from(canary, "utf16le"),
      ...["base64", "hex"].map((to) => Buffer.from(Buffer.from(canary).toString(to as "hex"))),
    ];
    expect(answers.filter(({ body }) => forms.some((form) => body.includes(form))).map(({ path }) => path)).toEqual([]);
    expect(answers.filter(({ status }) => status === 200).map(({ path }) => path)).toEqual([
      "/debug/pprof/heap",
      "/debug/pprof/profile?seconds=0.05",
      "/debug/pprof/",
    ]);
    expect(held.value).toBe(canary);
  });
});
