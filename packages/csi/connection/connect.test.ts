import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FakeClock, recordingLogger, until } from "@csi-sidecars/base/testing";
import type { ChannelState } from "../grpc/channel.ts";
import { Code } from "../grpc/status.ts";
import { failureOf } from "../grpc/testing/failure.ts";
import { rawHttp2Server } from "../grpc/testing/raw-http2-server.ts";
import { tempSocket } from "../grpc/testing/temp-socket.ts";
import { connectDriver, exitOnLoss } from "./connect.ts";
import { drive } from "./testing/drive.ts";
import { identityServer } from "./testing/identity-server.ts";

const messages = (log: ReturnType<typeof recordingLogger>, message: string) => log.lines.filter((line) => line.message === message);

describe("connecting", () => {
  test.each(["", "unix://", "unix:"])("to a server that is there, address with %p before its path", async (scheme) => {
    await using socket = await tempSocket();
    await using _server = await identityServer(socket.path);
    using connection = await connectDriver({ address: `${scheme}${socket.path}` });
    expect((await connection.driver.identity.getPluginInfo({})).name).toBe("driver.example.com");
    expect(connection.state).toEqual({ phase: "ready", generation: 1 });
  });

  test("to a server that appears after 10 s takes about half a second more, and says that it waits", async () => {
    await using socket = await tempSocket();
    const clock = new FakeClock();
    const log = recordingLogger();
    let connected = false;
    const connecting = connectDriver({ address: socket.path, clock, log });
    void connecting.then(() => (connected = true));
    await drive(clock, "10 s have passed", () => clock.monotonic() >= 10_000, 10_000);
    await using _server = await identityServer(socket.path);
    expect(await drive(clock, "connected", () => connected, 2_000)).toBeLessThanOrEqual(600);
    (await connecting).close();
    expect(messages(log, "Connecting")).toMatchObject([{ level: 5, fields: { address: socket.path } }]);
    expect(messages(log, "Still connecting")).toMatchObject([
      { level: 0, severity: "info", fields: { address: socket.path, lastError: expect.stringContaining("no such") } },
    ]);
    const attempts = messages(log, "Connecting failed").length;
    expect(attempts).toBeGreaterThanOrEqual(18);
    expect(attempts).toBeLessThanOrEqual(25);
  });

  test("to no server ends after the timeout", async () => {
    await using socket = await tempSocket();
    const clock = new FakeClock();
    let error: Error | undefined;
    connectDriver({ address: socket.path, clock, timeoutMs: 5_000 }).catch((caught) => (error = caught));
    const elapsed = await drive(clock, "given up", () => error !== undefined, 6_000);
    expect(error?.message).toBe("context deadline exceeded");
    expect(String(error?.cause)).toContain(`dial unix ${socket.path}: connect: no such file or directory`);
    expect([4_900, 5_000, 5_100]).toContain(elapsed);
    expect(clock.waiting).toBe(0);
  });

  test("without a timeout waits forever, until the caller stops it", async () => {
    await using socket = await tempSocket();
    const clock = new FakeClock();
    const abort = new AbortController();
    const connecting = connectDriver({ address: socket.path, clock, timeoutMs: 0, signal: abort.signal }).catch((error) => error);
    await drive(clock, "a long time has passed", () => clock.monotonic() >= 60_000, 61_000);
    abort.abort(new Error("enough"));
    expect((await connecting).message).toBe("enough");
    expect(clock.waiting).toBe(0);
  });

  test("to a server that accepts and says nothing ends after the timeout", async () => {
    await using socket = await tempSocket();
    const silent = await rawHttp2Server(socket.path, { greet: false });
    const clock = new FakeClock();
    const connecting = connectDriver({ address: socket.path, clock }).catch(String);
    await until("accepted", () => silent.connections.length === 1);
    await clock.advance(30_000);
    expect(await connecting).toBe("Error: context deadline exceeded");
    await silent.close();
  });

  test("over TCP", async () => {
    const { GrpcServer } = await import("../grpc/server.ts");
    const server = new GrpcServer();
    const target = await server.listen({ port: 0 });
    using connection = await connectDriver({ address: `127.0.0.1:${target.kind === "tcp" ? target.port : 0}` });
    expect(await failureOf(connection.driver.identity.probe({}))).toMatchObject({ code: Code.Unimplemented });
    await server.kill();
  });
});

describe("a lost connection", () => {
  test("is noticed without a call, calls fail until the server is back, then work again", async () => {
    await using socket = await tempSocket();
    const clock = new FakeClock();
    const log = recordingLogger();
    const server = await identityServer(socket.path);
    using connection = await connectDriver({ address: socket.path, clock, log });
    const phases: ChannelState["phase"][] = [];
    connection.subscribe((state) => state.phase !== phases.at(-1) && phases.push(state.phase));
    await server.kill();
    await until("noticed", () => phases.includes("lost"));
    expect(messages(log, "Lost connection")).toMatchObject([{ severity: "error", fields: { address: socket.path } }]);
    expect(await failureOf(connection.driver.identity.getPluginInfo({}))).toMatchObject({ code: Code.Unavailable, origin: "unsent" });

    await using _again = await identityServer(socket.path);
    expect(await drive(clock, "ready again", () => connection.state.phase === "ready", 5_000)).toBeLessThanOrEqual(1_300);
    expect((await connection.driver.identity.getPluginInfo({})).name).toBe("driver.example.com");
    expect(phases).toEqual(["lost", "connecting", "ready"]);
    expect(await connection.ready(new AbortController().signal)).toBe(2);
  });

  test("with a policy that refuses: every call fails, the policy is asked once", async () => {
    await using socket = await tempSocket();
    const clock = new FakeClock();
    let asked = 0;
    const onLoss = () => {
      asked++;
      return "refuse" as const;
    };
    const server = await identityServer(socket.path);
    using connection = await connectDriver({ address: socket.path, clock, onLoss });
    await server.kill();
    await until("noticed", () => connection.state.phase === "lost");
    await using _again = await identityServer(socket.path);
    await clock.advance(60_000);
    for (let i = 0; i < 2; i++) {
      const failure = await connection.driver.identity.getPluginInfo({}).catch(String);
      expect(failure).toBe(
        'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: connection lost, reconnecting disabled"',
      );
    }
    expect(asked).toBe(1);
    expect(connection.state).toEqual({ phase: "lost", generation: 1, reason: "closed", reconnecting: false });
  });

  test("with a policy that reconnects: it is asked once per loss", async () => {
    await using socket = await tempSocket();
    const clock = new FakeClock();
    let asked = 0;
    const onLoss = () => {
      asked++;
      return "reconnect" as const;
    };
    let server = await identityServer(socket.path);
    using connection = await connectDriver({ address: socket.path, clock, onLoss });
    for (const generation of [2, 3]) {
      await server.kill();
      await until("noticed", () => connection.state.phase === "connecting");
      await drive(clock, "some attempts have failed", () => clock.monotonic() >= generation * 5_000, 20_000);
      server = await identityServer(socket.path);
      await drive(clock, "ready again", () => connection.state.phase === "ready", 5_000);
      expect(connection.generation).toBe(generation);
      expect(asked).toBe(generation - 1);
    }
    await server.kill();
  });

  test("of a server that hangs up after every greeting is not dialled in a tight loop", async () => {
    await using socket = await tempSocket();
    const clock = new FakeClock();
    const rude = await rawHttp2Server(socket.path, {
      onFrame: (_, { socket: peer }) => {
        peer.end();
      },
    });
    using connection = await connectDriver({ address: socket.path, clock });
    await until("the second one is lost too", () => rude.connections.length === 2 && connection.state.phase === "connecting");
    await clock.advance(450);
    expect(rude.connections).toHaveLength(2);
    await rude.close();
  });

  test("a driver that shuts down in good order is lost like one that is killed", async () => {
    await using socket = await tempSocket();
    const server = await identityServer(socket.path);
    using connection = await connectDriver({ address: socket.path, onLoss: () => "refuse" });
    await server.shutdown();
    await until("noticed", () => connection.state.phase === "lost");
  });

  test("exit: leaves the reason for Kubernetes, logs it, and exits with 1", async () => {
    await using socket = await tempSocket();
    const terminationLog = join(socket.path, "../termination-log");
    await writeFile(terminationLog, "");
    const log = recordingLogger();
    const exits: number[] = [];
    const server = await identityServer(socket.path);
    using _connection = await connectDriver({
      address: socket.path,
      onLoss: exitOnLoss({ log, exit: (code) => exits.push(code), terminationLog }),
    });
    await server.kill();
    await until("exited", () => exits.length > 0);
    expect(exits).toEqual([1]);
    expect(await readFile(terminationLog, "utf8")).toBe("Lost connection to CSI driver, exiting");
    expect(messages(log, "Lost connection to CSI driver, exiting")).toMatchObject([{ severity: "error" }]);
  });

  test("exit: also where the reason cannot be left", () => {
    const log = recordingLogger();
    const exits: number[] = [];
    const decide = exitOnLoss({ log, exit: (code) => exits.push(code), terminationLog: "/nonexistent/termination-log" });
    expect([decide(), exits]).toEqual(["refuse", [1]]);
    expect(log.lines.filter(({ level }) => level === 0).map(({ message }) => message)).toEqual(["Lost connection to CSI driver, exiting"]);
    expect(existsSync("/nonexistent")).toBe(false);
  });
});

test.each(["dns:///driver:9000", "driver:9000", "csi.sock"])("%s cannot have a loss policy", async (address) => {
  const connecting = connectDriver({ address, onLoss: () => "refuse" });
  expect((await failureOf(connecting)).message).toContain("OnConnectionLoss callback only supported for unix:// addresses");
});
