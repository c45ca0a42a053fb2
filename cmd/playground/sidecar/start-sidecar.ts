import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "@csi-sidecars/testcluster";
import type { PlaygroundCluster } from "../cluster/cluster.ts";
import type { Driver } from "../driver/driver.ts";
import { eventually } from "../eventually.ts";
import type { Caretaker } from "../processes/caretaker.ts";
import { Supervised } from "../processes/supervised.ts";
import { Refusal } from "../refusal.ts";
import type { Workplace } from "../state/workplace.ts";
import { grantRoles } from "./grant-roles.ts";
import { readMetrics, type SidecarMetrics } from "./read-metrics.ts";
import { sidecarFlags } from "./sidecar-flags.ts";

/** The shipped program in its own process, as in a pod beside the driver. */
export interface Sidecar extends AsyncDisposable {
  readonly process: Supervised;
  /** Those that say what it does. */
  readonly flags: readonly string[];
  /** Of its HTTP server. */
  readonly url: string;
  /** The status of a path of its HTTP server; `undefined` while nobody answers. */
  status(path: string): Promise<number | undefined>;
  metrics(): Promise<SidecarMetrics | undefined>;
}

export interface SidecarPlan {
  readonly program: string;
  readonly cluster: PlaygroundCluster;
  readonly driver: Driver;
  readonly workplace: Workplace;
  readonly caretaker: Caretaker;
  readonly signal: AbortSignal;
}

/** As patient as the probes of the example deployment: a driver's absence is told after 3 s. */
const probeMs = 5_000;

/** Starts it with the roles that it asks for itself, and no others. Resolves when it is ready. */
export async function startSidecar({ program, cluster, driver, workplace, caretaker, signal }: SidecarPlan): Promise<Sidecar> {
  const flags = sidecarFlags(driver.facts);
  await grantRoles(cluster.admin, program, flags);
  const kubeconfig = join(workplace.folder, "sidecar.kubeconfig");
  writeFileSync(kubeconfig, cluster.sidecarKubeconfig, { mode: 0o600 });

  const address = `127.0.0.1:${await freePort()}`;
  const args = [...flags, `--csi-address=${driver.socket}`, `--kubeconfig=${kubeconfig}`, `--http-endpoint=${address}`, "--v=2"];
  const env = { POD_NAME: "csi-sidecars-0", POD_NAMESPACE: "default", NAMESPACE: "default" };
  const process = new Supervised({ program, args, env, logFile: join(workplace.folder, "csi-sidecars.log"), caretaker });
  const url = `http://${address}`;
  const ask = (path: string) => fetch(`${url}${path}`, { signal: AbortSignal.timeout(probeMs) }).catch(() => undefined);
  const status = async (path: string) => {
    const response = await ask(path);
    await response?.body?.cancel();
    return response?.status;
  };
  const metrics = async () => {
    const text = await (await ask("/metrics"))?.text().catch(() => undefined);
    return text === undefined ? undefined : readMetrics(text);
  };
  process.start();
  try {
    await eventually(
      "csi-sidecars to be ready",
      async () => {
        if (process.restarts > 0) throw new Refusal(`csi-sidecars does not start:\n${process.lastWords()}`);
        return (await status("/readyz")) === 200 || undefined;
      },
      { signal },
    );
  } catch (error) {
    await process.stop();
    throw error;
  }
  return { process, flags, url, status, metrics, [Symbol.asyncDispose]: () => process.stop() };
}
