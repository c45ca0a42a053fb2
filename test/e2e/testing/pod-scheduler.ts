import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findAssets } from "@csi-sidecars/testcluster";
import type { World } from "./world.ts";

/** A scheduler for pods, by its `schedulerName`. */
export interface PodScheduler extends AsyncDisposable {
  readonly name: string;
}

/**
 * kube-scheduler where the control plane is a real one and its folder of programs has it; otherwise the scheduler of the test
 * cluster.
 */
export async function podScheduler({ cluster, folder }: World): Promise<PodScheduler> {
  const program = cluster.flavour === "real" ? join(findAssets(process.env), "kube-scheduler") : "";
  if (!existsSync(program)) return { name: "default-scheduler", async [Symbol.asyncDispose]() {} };
  const name = "kube-scheduler";
  const [kubeconfig, config, log] = ["kubeconfig", "yaml", "log"].map((suffix) => join(folder, `${name}.${suffix}`)) as [
    string,
    string,
    string,
  ];
  writeFileSync(kubeconfig, cluster.kubeconfig(cluster.adminToken), { mode: 0o600 });
  writeFileSync(
    config,
    JSON.stringify({
      apiVersion: "kubescheduler.config.k8s.io/v1",
      kind: "KubeSchedulerConfiguration",
      clientConnection: { kubeconfig },
      leaderElection: { leaderElect: false },
      profiles: [{ schedulerName: name }],
    }),
  );
  const output = openSync(log, "a");
  const child: ChildProcess = spawn(program, [`--config=${config}`, "--secure-port=0"], { stdio: ["ignore", output, output] });
  const ended = once(child, "exit");
  return {
    name,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
