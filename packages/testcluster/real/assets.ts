import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The Kubernetes release that the real ring runs; `tools/envtest/go.mod` builds the same one. */
export const kubernetesVersion = "v1.36.3";

export const controlPlanePrograms = ["etcd", "kube-apiserver", "kube-controller-manager", "kubectl"] as const;

/** Where `npm run envtest` puts the programs it builds. */
export function assetsCache(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "csi-sidecars", "envtest", kubernetesVersion);
}

/** The folder with the control plane's programs: `KUBEBUILDER_ASSETS` (envtest's convention), else what `npm run envtest` built. */
export function findAssets(env: NodeJS.ProcessEnv): string {
  const folder = env.KUBEBUILDER_ASSETS || assetsCache(env);
  const missing = controlPlanePrograms.filter((program) => !existsSync(join(folder, program)));
  if (missing.length > 0) {
    throw new Error(
      `no real control plane: ${missing.join(", ")} not found in ${folder}. ` +
        "Set KUBEBUILDER_ASSETS to a folder that has them, or run `npm run envtest` (needs Go).",
    );
  }
  return folder;
}

/** The same where they are installed, and `undefined` where not. */
export function installedAssets(env: NodeJS.ProcessEnv): string | undefined {
  try {
    return findAssets(env);
  } catch {
    return undefined;
  }
}
