import { expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCluster, startScriptedDriver } from "@csi-sidecars/testcluster";
import { quickElection } from "../e2e/testing/election.ts";
import { until } from "../e2e/testing/until.ts";
import { RunningProgram } from "../running-program.ts";

test("a leader in which a component loops for ever ends by itself", async () => {
  await using opened = new AsyncDisposableStack();
  const cluster = opened.use(await startCluster());
  const driver = opened.use(await startScriptedDriver({ capabilities: "minimal" }));
  const folder = opened.adopt(await mkdtemp(join(tmpdir(), "csi-stalled-")), (path) => rm(path, { recursive: true, force: true }));
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, cluster.kubeconfig(cluster.adminToken));
  const main = join(import.meta.dirname, "testing/stalled-main.ts");
  const flags = [`--kubeconfig=${kubeconfig}`, `--csi-address=${driver.address}`, "--leader-election-migration=skip", ...quickElection];
  const leader = opened.use(new RunningProgram(process.execPath, [main, ...flags], { env: { POD_NAME: "pod-1" } }));
  await until("the end of the leader", async () => !leader.running, 15_000);
  expect(await leader.exit()).toBe(27);
  expect(leader.output).toContain("the loop begins");
});
