import { describe, expect, test } from "bun:test";
import { FakeClock, recordingLogger, until } from "@csi-sidecars/base/testing";
import { Code, GrpcError } from "../grpc/status.ts";
import { tempSocket } from "../grpc/testing/temp-socket.ts";
import { connectDriver } from "./connect.ts";
import { getDriverName, probeUntilReady } from "./identity.ts";
import { identityServer } from "./testing/identity-server.ts";

describe("getDriverName", () => {
  test.each([
    ["a name", () => ({ name: "csi.example.com" }), "csi.example.com"],
    ["no name", () => ({ name: "" }), "Error: driver name is empty"],
    [
      "an error",
      () => {
        throw new GrpcError(Code.Internal, "broken");
      },
      "rpc error: code = Internal desc = broken",
    ],
  ])("%s", async (_, getPluginInfo, expected) => {
    await using socket = await tempSocket();
    await using _server = await identityServer(socket.path, { getPluginInfo });
    using connection = await connectDriver({ address: socket.path });
    expect(await getDriverName(connection.driver).catch(String)).toBe(expected);
  });
});

type Answer = "ready" | "silent" | "unready" | "timeout" | "error";

describe("probeUntilReady", () => {
  const probing = "Probing CSI driver for readiness";
  const timedOut = "CSI driver probe timed out";
  const unready = "CSI driver is not ready";
  const failed = "Error: CSI driver probe failed: rpc error: code = FailedPrecondition desc = sick";

  test.each<[Answer[], string, string[]]>([
    [["ready"], "ready", [probing]],
    [["silent"], "ready", [probing]],
    [["error"], failed, [probing]],
    [["timeout", "error"], failed, [probing, timedOut, probing]],
    [["timeout", "timeout", "ready"], "ready", [probing, timedOut, probing, timedOut, probing]],
    [["unready", "error"], failed, [probing, unready, probing]],
    [["unready", "unready", "ready"], "ready", [probing, unready, probing, unready, probing]],
  ])("%p", async (script, expected, lines) => {
    await using socket = await tempSocket();
    const clock = new FakeClock();
    let calls = 0;
    await using _server = await identityServer(socket.path, {
      probe(_, { signal }) {
        const answer = script[calls++];
        if (answer === "error") throw new GrpcError(Code.FailedPrecondition, "sick");
        if (answer === "timeout") return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
        return answer === "silent" ? {} : { ready: answer === "ready" };
      },
    });
    using connection = await connectDriver({ address: socket.path, clock });
    const log = recordingLogger(4);
    let result: string | undefined;
    void probeUntilReady(connection.driver, { timeoutMs: 300, clock, log }).then(
      () => (result = "ready"),
      (error) => (result = String(error)),
    );
    for (let n = 1; n <= script.length; n++) {
      await until(`probe ${n}`, () => calls === n);
      if (script[n - 1] === "timeout") await clock.advance(300);
      if (n === script.length) break;
      await until("waiting for the next probe", () => log.lines.length === 2 * n && clock.waiting === 1);
      expect(clock.nextIn).toBe(script[n - 1] === "timeout" ? 700 : 1_000);
      await clock.advance(clock.nextIn!);
    }
    await until("it ends", () => result !== undefined);
    expect(result!).toBe(expected);
    expect(calls).toBe(script.length);
    expect(log.lines.map((line) => line.message)).toEqual(lines);
  });

  test("ends when its caller does", async () => {
    await using socket = await tempSocket();
    await using _server = await identityServer(socket.path, { probe: () => ({ ready: false }) });
    using connection = await connectDriver({ address: socket.path });
    const clock = new FakeClock();
    const abort = new AbortController();
    const probing = probeUntilReady(connection.driver, { timeoutMs: 1_000, clock, signal: abort.signal }).catch((error) => error);
    await until("waiting", () => clock.waiting === 1);
    abort.abort(new Error("stopped"));
    expect((await probing).message).toBe("stopped");
  });
});
