import { join } from "node:path";
import { runCommand } from "../machine/run-command.ts";
import type { ProgramPaths } from "./program-paths.ts";

/** kubectl as the cluster's admin. */
export interface Kubectl {
  (...args: string[]): string;
  /** Applies manifests, given as text; large definitions included. */
  apply(manifests: string): void;
  readonly path: string;
  readonly kubeconfig: string;
}

export function kubectlOf(paths: ProgramPaths, kubeconfig: string): Kubectl {
  const path = join(paths.controlPlane, "kubectl");
  const run = (args: readonly string[], input?: string) => runCommand(path, [`--kubeconfig=${kubeconfig}`, ...args], { input });
  return Object.assign((...args: string[]) => run(args), {
    path,
    kubeconfig,
    apply(manifests: string) {
      run(["apply", "--server-side", "--force-conflicts", "--filename=-"], manifests);
    },
  });
}
