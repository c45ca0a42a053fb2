import { writeFileSync } from "node:fs";
import { messageOf } from "@csi-sidecars/base";
import { isNotFound, Namespace, serverVersion } from "@csi-sidecars/kube";
import { findAssets, startControlPlane } from "@csi-sidecars/testcluster";
import type { Reaper } from "../processes/reaper.ts";
import type { ClusterShape } from "../state/cluster-shape.ts";
import type { RunFolders } from "../state/run-folders.ts";
import { UserError } from "../user-error.ts";
import { waitUntil } from "../wait-until.ts";
import { type ControllersPlan, openClient, type PlaygroundCluster, startControllers, users } from "./cluster.ts";

export interface RealPlan extends Pick<ControllersPlan, "hooks"> {
  readonly port: number;
  readonly shape: ClusterShape;
  readonly folders: RunFolders;
  readonly reaper: Reaper;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** A control plane of envtest has neither: ours run instead. */
const ownControllers = ["scheduler", "kubelet"] as const;

/** What users expect of a cluster when they delete objects, and when they create quotas and workloads. */
const moreControllers = [
  ...["namespace-controller", "garbage-collector-controller", "disruption-controller"],
  // Without it the API server enforces no ResourceQuota: nobody counts what is used.
  "resourcequota-controller",
  ...[
    "deployment-controller",
    "replicaset-controller",
    "statefulset-controller",
    "daemonset-controller",
    "job-controller",
    "cronjob-controller",
  ],
];

/** The folder with the programs of a control plane. Throws a {@link UserError} where there is none. */
export function controlPlaneAssets(env: NodeJS.ProcessEnv): string {
  try {
    return findAssets(env);
  } catch (error) {
    throw new UserError(`--real: ${messageOf(error)}`);
  }
}

/** kube-apiserver, etcd and kube-controller-manager, each in its own process. */
export async function startReal({ port, shape, folders, reaper, env, signal, hooks }: RealPlan): Promise<PlaygroundCluster> {
  await using started = new AsyncDisposableStack();
  const { controlPlane: folder, saved } = folders;
  const plane = await startControlPlane({
    env,
    users,
    storageControllers: true,
    binderSync: "1s",
    moreControllers,
    folder,
    audit: false,
    watch: reaper,
    signal,
    ...(port > 0 && { port }),
    ...(saved && { adminToken: saved.adminToken }),
  }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new UserError(`--real: the control plane does not start${saved ? ` with the data in ${folder}` : ""}: ${messageOf(error)}`);
  });
  started.use(plane);
  const { adminToken } = plane;
  folders.save({ shape, adminToken });
  writeFileSync(folders.kubeconfig, plane.kubeconfig(adminToken), { mode: 0o600 });
  const { client } = started.use(openClient(folders.kubeconfig));
  const ignoreAbsence = (error: unknown) => {
    if (!isNotFound(error)) throw error;
    return undefined;
  };
  await waitUntil("the namespace default", () => client.get(Namespace, { name: "default" }).catch(ignoreAbsence), { signal });
  started.use(await startControllers(client, { only: ownControllers, ...(hooks && { hooks }) }));
  const { gitVersion } = await serverVersion(client);

  const running = started.move();
  return {
    title: `kube-apiserver ${gitVersion}`,
    url: plane.url,
    admin: client,
    kubeconfigOf: (user) => plane.kubeconfig(plane.tokenOf(user)),
    problem: () => undefined,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
