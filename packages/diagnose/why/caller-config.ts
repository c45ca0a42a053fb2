import { join } from "node:path";
import { type Environment, type Files, systemFiles } from "@csi-sidecars/kube";

/**
 * The kubeconfig of a person who calls a sub-command by hand, where neither a flag nor KUBECONFIG names one and this is no pod: the
 * one in the home folder, as `kubectl` has it. Empty: as the running process finds its configuration.
 */
export function callersKubeconfig(flag: string, env: Environment, files: Files = systemFiles): string {
  if (flag !== "" || env.KUBECONFIG || env.KUBERNETES_SERVICE_HOST || !env.HOME) return flag;
  const path = join(env.HOME, ".kube", "config");
  try {
    files.read(path);
    return path;
  } catch {
    return flag;
  }
}
