import { edenGC, heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import type { ClusterConfig } from "../config/cluster-config.ts";
import { connect } from "./connect.ts";
import type { Dial, SocketEvents } from "./http1/connection.ts";
import { Http1Pool } from "./http1/pool.ts";

const cluster: ClusterConfig = {
  ...{ source: "test", server: "http://server", credentials: { kind: "none" } },
  ...{ tls: { insecure: false }, disableCompression: true },
};
const chunkCount = 60;
const chunkBytes = 256 * 1024;

/** A server that answers at once, and sends a chunk of the body when it is told to. */
function streamingServer() {
  let events: SocketEvents | undefined;
  const dial: Dial = (socketEvents) => {
    events = socketEvents;
    return {
      write: () => socketEvents.received(Buffer.from("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")),
      pause() {},
      resume() {},
      setIdle() {},
      setActive() {},
      flushed: true,
      afterReceiving: (callback) => callback(),
      end: () => socketEvents.closed(undefined),
    };
  };
  return {
    transport: connect(cluster, { userAgent: "test", openPool: ({ server }) => new Http1Pool(server, dial) }),
    open: () => events?.opened(),
    sendChunk: () => events?.received(Buffer.from(`${chunkBytes.toString(16)}\r\n${"x".repeat(chunkBytes)}\r\n`)),
  };
}

test("collections of young garbage free the chunks that were read since the last one", async () => {
  const { transport, open, sendChunk } = streamingServer();
  const asked = transport.request({ method: "GET", path: "/watch", streaming: true, timeoutMs: 30_000 });
  open();
  const response = await asked;
  let bytes = 0;
  const reading = (async () => {
    for await (const chunk of response.chunks()) bytes += chunk.length;
  })().catch(() => undefined);
  const before = heapStats().extraMemorySize;
  for (let sent = 1; sent <= chunkCount; sent++) {
    sendChunk();
    await new Promise((resolve) => setImmediate(resolve));
    if (sent % 2 === 0) edenGC();
  }
  const kept = heapStats().extraMemorySize - before;
  transport.close();
  await reading;
  expect(bytes).toBe(chunkCount * chunkBytes);
  expect(kept).toBeLessThan(bytes / 8);
});
