import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hostileApiServer, wellFormed } from "./testing/hostile-api-server.ts";
import type { PeerConnection } from "./testing/raw-http-peer.ts";

const mib = 1024 * 1024;
const refusal = "HTTP/1.1 401 Unauthorized\r\n";

const bodies: readonly [string, (connection: PeerConnection) => void][] = [
  ["is too large", (connection) => connection.write(Buffer.concat([Buffer.from(`${refusal}\r\n`), Buffer.alloc(4 * mib)]))],
  [
    "is cut off",
    (connection) => {
      connection.write(`${refusal}content-length: 9\r\n\r\n{`);
      connection.end();
    },
  ],
  ["is no chunk", (connection) => connection.write(`${refusal}transfer-encoding: chunked\r\n\r\nzz\r\n`)],
];

// The server has read a request that it refuses, and the credentials have been renewed meanwhile: what it says about the old ones is not needed.
test.each(bodies)("a refusal of old credentials whose body %s does not keep the new ones from being used", async (_, refuse) => {
  const folder = await mkdtemp(join(tmpdir(), "refused-credentials-"));
  const file = join(folder, "token");
  writeFileSync(file, "old");
  let requests = 0;
  using server = hostileApiServer(
    ({ connection }) => {
      if (++requests === 2) return connection.write(wellFormed("in"));
      writeFileSync(file, "new");
      return refuse(connection);
    },
    { credentials: { kind: "tokenFile", file } },
  );
  try {
    expect(await server.ask("/")).toBe("200 in");
    expect([requests, server.peer.connections.length]).toEqual([2, 2]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
