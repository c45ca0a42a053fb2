import { expect, test } from "bun:test";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "@csi-sidecars/base";
import { hostpathControl } from "./hostpath-control.ts";

test("a driver that is stopped is one that does not answer", async () => {
  const folder = mkdtempSync(join(tmpdir(), "control-"));
  const server = createServer(() => {});
  await once(server.listen(join(folder, "control.sock")), "listening");
  try {
    const answer = await hostpathControl(join(folder, "control.sock"), 50).volumes().catch(messageOf);
    expect(answer).toBe("the driver's control API did not answer within 0.05 s");
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  }
});
