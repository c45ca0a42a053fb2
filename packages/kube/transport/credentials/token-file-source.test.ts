import { describe, expect, test } from "bun:test";
import { FakeClock, recordingLogger } from "@csi-sidecars/base/testing";
import type { Credentials } from "../../config/cluster-config.ts";
import type { Files } from "../../config/files.ts";
import { SecretString } from "../../config/secret-string.ts";
import { memoryFiles } from "../../config/testing/memory-files.ts";
import { connect } from "../connect.ts";
import { configFor, failureOf } from "../testing/expectations.ts";
import { httpServer } from "../testing/servers.ts";

const get = { method: "GET", path: "/", timeoutMs: 60_000 } as const;

/** A server that lets in who shows `accepted`, and a transport whose token file a test may rewrite. */
async function world(credentials: Credentials = { kind: "tokenFile", file: "/token" }) {
  const state = { accepted: "", seen: [] as string[], held: undefined as Promise<void> | undefined };
  const server = await httpServer(async (request, response) => {
    const token = request.headers.authorization ?? "none";
    state.seen.push(token);
    await state.held;
    response.writeHead(state.accepted === "" || token === state.accepted ? 200 : 401).end();
  });
  const content: Record<string, string | Error> = { "/token": "one\n" };
  const memory = memoryFiles(content);
  let reads = 0;
  const files: Files = {
    read(path) {
      reads++;
      return memory.read(path);
    },
  };
  const clock = new FakeClock();
  const log = recordingLogger();
  const transport = connect(configFor(`http://127.0.0.1:${server.port}`, { credentials }), { userAgent: "t", clock, log, files });
  return {
    state,
    content,
    clock,
    log,
    transport,
    reads: () => reads,
    async ask(headers?: Record<string, string>) {
      const response = await transport.request({ ...get, ...(headers && { headers }) });
      await response.text();
      return response.status;
    },
    async [Symbol.asyncDispose]() {
      transport.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe("credentials that do not change", () => {
  const cases: readonly [string, Credentials, string][] = [
    ["none", { kind: "none" }, "none"],
    ["token", { kind: "token", token: new SecretString("abc") }, "Bearer abc"],
    [
      "basic",
      { kind: "basic", username: "me", password: new SecretString("pä:ss") },
      `Basic ${Buffer.from("me:pä:ss").toString("base64")}`,
    ],
  ];
  test.each(cases)("%s", async (_, credentials, expected) => {
    await using w = await world(credentials);
    w.state.accepted = "somebody else";
    expect(await w.ask()).toBe(401);
    expect(w.state.seen).toEqual([expected]);
  });

  test("give way to those of the request", async () => {
    await using w = await world({ kind: "token", token: new SecretString("abc") });
    await w.ask({ Authorization: "Bearer own" });
    expect(w.state.seen).toEqual(["Bearer own"]);
  });
});

describe("a token file", () => {
  test("is read again after 50 s, by the next request", async () => {
    await using w = await world();
    await w.ask();
    w.content["/token"] = "two";
    await w.clock.advance(49_999);
    await w.ask();
    await w.clock.advance(1);
    await w.ask();
    expect(w.state.seen).toEqual(["Bearer one", "Bearer one", "Bearer two"]);
    expect(w.reads()).toBe(2);
  });

  test.each([
    ["empty", "", "is empty"],
    ["gone", Object.assign(new Error(), { code: "ENOENT" }), "file not found"],
    ["two lines", "a\nb", "holds characters that no token has"],
  ])("that is %s leaves the old token in use, is logged once and tried by each request", async (_, broken, problem) => {
    await using w = await world();
    await w.ask();
    w.content["/token"] = broken;
    await w.clock.advance(50_000);
    await w.ask();
    await w.ask();
    w.content["/token"] = "three";
    await w.ask();
    expect(w.state.seen).toEqual(["Bearer one", "Bearer one", "Bearer one", "Bearer three"]);
    expect(w.log.lines.map(({ error }) => String(error))).toEqual([
      `TransportError: token file /token: ${problem}; it must hold a bearer token`,
    ]);
  });

  test("that was never readable fails the request", async () => {
    await using w = await world({ kind: "tokenFile", file: "/other" });
    const error = await failureOf(w.transport.request(get));
    expect([error.kind, error.message]).toEqual(["credentials", "token file /other: file not found; it must hold a bearer token"]);
    expect(w.clock.waiting).toBe(0);
  });

  test("that is not readable yet is replaced by the fixed token", async () => {
    await using w = await world({ kind: "tokenFile", file: "/later", fallback: new SecretString("fixed") });
    await w.ask();
    w.content["/later"] = "file";
    await w.ask();
    expect(w.state.seen).toEqual(["Bearer fixed", "Bearer file"]);
  });
});

describe("401", () => {
  test("makes the file be read at once and the request repeated with the new token", async () => {
    await using w = await world();
    await w.ask();
    w.content["/token"] = "two";
    w.state.accepted = "Bearer two";
    expect(await w.ask()).toBe(200);
    expect(w.state.seen).toEqual(["Bearer one", "Bearer one", "Bearer two"]);
  });

  test("with the same token in the file is handed to the caller after one attempt", async () => {
    await using w = await world();
    w.state.accepted = "Bearer two";
    expect(await w.ask()).toBe(401);
    expect(w.state.seen).toEqual(["Bearer one"]);
    expect(w.reads()).toBe(2);
  });

  test("for the repeated request as well is not repeated again", async () => {
    await using w = await world();
    await w.ask();
    w.content["/token"] = "two";
    w.state.accepted = "Bearer three";
    expect(await w.ask()).toBe(401);
    expect(w.state.seen).toEqual(["Bearer one", "Bearer one", "Bearer two"]);
  });

  test("of requests in flight together reads the file once", async () => {
    await using w = await world();
    await w.ask();
    w.content["/token"] = "two";
    w.state.accepted = "Bearer two";
    expect(await Promise.all(Array.from({ length: 8 }, () => w.ask()))).toEqual(Array(8).fill(200));
    expect(w.reads()).toBe(2);
  });

  test("of requests in flight together reads an unchanged file once", async () => {
    await using w = await world();
    await w.ask();
    w.state.accepted = "Bearer two";
    const gate = Promise.withResolvers<void>();
    w.state.held = gate.promise;
    const asking = Promise.all(Array.from({ length: 4 }, () => w.ask()));
    while (w.state.seen.length < 5) await new Promise((resolve) => setImmediate(resolve));
    gate.resolve();
    expect(await asking).toEqual([401, 401, 401, 401]);
    expect(w.reads()).toBe(2);
  });
});
