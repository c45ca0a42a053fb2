import { expect, test } from "bun:test";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { startScriptedDriver } from "@csi-sidecars/testcluster";
import { freePort } from "../../packages/testcluster/real/free-port.ts";
import { binary } from "../e2e/testing/binary.ts";
import { until } from "../e2e/testing/until.ts";

const namespaces = spawnSync("unshare", ["--pid", "--fork", "true"]).status === 0;

test.skipIf(!namespaces)("as the first process of a container it obeys SIGTERM", async () => {
  await using driver = await startScriptedDriver();
  const endpoint = `127.0.0.1:${await freePort()}`;
  const args = ["--controllers=livenessprobe", `--csi-address=${driver.address}`, `--http-endpoint=${endpoint}`];
  const container = spawn("unshare", ["--pid", "--fork", "--kill-child", binary(), ...args], { env: {}, stdio: "ignore" });
  try {
    const ended = once(container, "exit");
    await until("ready", async () => (await fetch(`http://${endpoint}/readyz`).catch(() => undefined))?.ok);
    const [first] = readFileSync(`/proc/${container.pid}/task/${container.pid}/children`, "utf8").trim().split(" ").map(Number);
    if (!first) throw new Error("the container has no process");
    expect(readFileSync(`/proc/${first}/status`, "utf8")).toMatch(/^NSpid:\t\d+(\t\d+)*\t1$/m);
    process.kill(first, "SIGTERM");
    expect(await ended).toEqual([0, null]);
  } finally {
    container.kill("SIGKILL");
  }
});
