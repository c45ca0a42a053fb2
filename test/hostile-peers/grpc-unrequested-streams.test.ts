import { expect, test } from "bun:test";
import { join } from "node:path";
import { until } from "@csi-sidecars/base/testing";
import { frame, rawHttp2Server } from "../../packages/csi/grpc/testing/raw-http2-server.ts";
import { tempSocket } from "../../packages/csi/grpc/testing/temp-socket.ts";
import { RunningProgram } from "../running-program.ts";

const main = join(import.meta.dirname, "../../cmd/csi-sidecars/main.ts");
const status200 = Uint8Array.of(0x88);
const pushPromise = 5;

type Sent = readonly [type: number, streamId: number, payload: Uint8Array];
const damaged: Sent = [frame.headers, 2, Uint8Array.of(0xff)];
const promise: Sent = [pushPromise, 1, Uint8Array.of(0, 0, 0, 2, ...status200)];

test.each<[string, readonly Sent[]]>([
  ["opens a stream", [[frame.headers, 2, status200]]],
  ["damages the head of a stream", [damaged]],
  ["promises a stream", [promise]],
  ["promises a stream and damages its head", [promise, damaged]],
])("a driver that %s, which nobody asked for, loses its connection, and the program dials again", async (_, frames) => {
  await using socket = await tempSocket();
  let requests = 0;
  const driver = await rawHttp2Server(socket.path, {
    onFrame(received, connection) {
      if (received.type !== frame.headers) return;
      requests++;
      for (const [type, streamId, payload] of frames) connection.send(type, frame.endHeaders, streamId, payload);
      connection.socket.end();
    },
  });
  await using probe = new RunningProgram(
    process.execPath,
    [main, "livenessprobe", `--csi-address=${socket.path}`, "--http-endpoint=127.0.0.1:0"],
    { env: { PATH: process.env.PATH ?? "" } },
  );
  await until(
    () => `a second connection, got ${requests} requests: ${probe.output}`,
    () => requests >= 2 || !probe.running,
  );
  expect({ running: probe.running, output: probe.running ? "" : probe.output }).toEqual({ running: true, output: "" });
  await probe.end();
  await driver.close();
});
