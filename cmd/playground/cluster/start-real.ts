import { writeFileSync } from "node:fs";
import { messageOf } from "@csi-sidecars/base";
import { isNotFound, Namespace, serverVersion } from "@csi-sidecars/kube";
import { findAssets, startControlPlane } from "@csi-sidecars/testcluster";
import { eventually } from "../eventually.ts";
import type { Caretaker } from "../processes/caretaker.ts";
import { Refusal } from "../refusal.ts";
import type { ClusterShape } from "../state/note.ts";
import type { Workplace } from "../state/workplace.ts";
import { openClient, type PlaygroundCluster, sidecarUser } from "./cluster.ts";
import { type ControllersPlan, startControllers } from "./start-controllers.ts";

export interface RealPlan extends Pick<ControllersPlan, "hooks"> {
  readonly port: number;
  readonly shape: ClusterShape;
  readonly workplace: Workplace;
  readonly caretaker: Caretaker;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** What a control plane without nodes lacks: we play the scheduler and the kubelets. */
const played = ["scheduler", "kubelet"] as const;

/** What people expect of a cluster when they delete things. */
const moreControllers = ["namespace-controller", "garbage-collector-controller"];

/** The folder with the programs of a control plane, or why there is none. */
export function controlPlaneAssets(env: NodeJS.ProcessEnv): string {
  try {
    return findAssets(env);
  } catch (error) {
    throw new Refusal(`--real: ${messageOf(error)}`);
  }
}

/** kube-apiserver, etcd and kube-controller-manager, each in its own process. */
export async function startReal({ port, shape, workplace, caretaker, env, signal, hooks }: RealPlan): Promise<PlaygroundCluster> {
  await using started = new AsyncDisposableStack();
  const { controlPlane: folder, note } = workplace;
  const plane = await startControlPlane({
    env,
    users: [sidecarUser],
    storageControllers: true,
    binderSync: "1s",
    moreControllers,
    folder,
    audit: false,
    watch: caretaker,
    signal,
    ...(port > 0 && { port }),
    ...(note && { adminToken: note.adminToken }),
  }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new Refusal(`--real: the control plane does not start${note ? ` with what is kept in ${folder}` : ""}: ${messageOf(error)}`);
  });
  started.use(plane);
  const { adminToken } = plane;
  workplace.keep({ shape, adminToken });
  writeFileSync(workplace.kubeconfig, plane.kubeconfig(adminToken), { mode: 0o600 });
  const { client } = started.use(openClient(workplace.kubeconfig));
  const ignoreAbsence = (error: unknown) => {
    if (!isNotFound(error)) throw error;
    return undefined;
  };
  await eventually("the namespace default", () => client.get(Namespace, { name: "default" }).catch(ignoreAbsence), { signal });
  started.use(await startControllers(client, { only: played, ...(hooks && { hooks }) }));
  const { gitVersion } = await serverVersion(client);

  const running = started.move();
  return {
    title: `kube-apiserver ${gitVersion}`,
    url: plane.url,
    admin: client,
    sidecarKubeconfig: plane.kubeconfig(plane.tokenOf(sidecarUser)),
    problem: () => undefined,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
