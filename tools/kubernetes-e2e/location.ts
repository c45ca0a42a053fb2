import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { kubernetesVersion } from "../../packages/testcluster/real/assets.ts";

/** What a node and upstream's end-to-end suite need beyond the control plane of `tools/envtest`. */
export const nodePrograms = ["kubelet", "kube-scheduler", "agnhost", "ginkgo", "e2e.test"] as const;

/** The folder with the node's programs: `KUBERNETES_E2E_PROGRAMS`, else what `npm run e2e:build` put into the user's cache. */
export function nodeProgramsFolder(env: NodeJS.ProcessEnv): string {
  const cache = env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return env.KUBERNETES_E2E_PROGRAMS || join(cache, "csi-sidecars", "kubernetes-e2e", kubernetesVersion);
}

export function missingNodePrograms(env: NodeJS.ProcessEnv): string[] {
  const folder = nodeProgramsFolder(env);
  return nodePrograms.filter((program) => !existsSync(join(folder, program)));
}
