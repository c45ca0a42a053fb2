import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { className } from "./cluster-objects.ts";
import { keyActions } from "./keys.ts";
import type { Parts } from "./start-parts.ts";

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether keys are listened to. */
  readonly keyboard: boolean;
  readonly readyMs: number;
}

export interface Introduction {
  readonly full: readonly string[];
  /** For a terminal with few rows. */
  readonly brief: readonly string[];
}

/** Where everything is and what to try: printed once, or kept above the live view. */
export function introduction(parts: Parts, { env, keyboard, readyMs }: Surroundings): Introduction {
  const { server, nodes, kubeconfig, folder, sidecar } = parts;
  const named = nodes.length > 2 ? `${nodes[0]} to ${nodes.at(-1)}` : nodes.join(" and ");
  const access = `  access    export KUBECONFIG=${kubeconfig}`;
  const keys = keyboard ? [`  keys: ${[...keyActions.map(({ key, help }) => `${key} ${help}`), "q quit"].join("; ")}`] : [];
  const full = [
    `csi-sidecars playground: ready in ${(readyMs / 1000).toFixed(1)} s`,
    `  cluster   ${server.url}, ${named}, StorageClass ${className} (default)`,
    `  sidecar   csi-sidecars ${sidecar.args.slice(0, 2).join(" ")}`,
    `  logs      ${folder}/csi-sidecars.log, driver.log`,
    access,
    "Try",
    ...commands(hasKubectl(env), keyboard),
    ...keys,
    "  kill -9 the pids below and see what survives; Ctrl-C ends everything",
    "",
  ];
  return { full, brief: [access, ...keys, ""] };
}

function commands(kubectl: boolean, keyboard: boolean): readonly string[] {
  if (kubectl) {
    return [
      "  kubectl apply -f cmd/playground/example.yaml; kubectl get pvc,pv,volumeattachment,pod",
      "  kubectl delete -f cmd/playground/example.yaml",
    ];
  }
  return keyboard ? [] : ["  npm start -- --demo     a story with a volume, told step by step"];
}

function hasKubectl({ PATH = "" }: Surroundings["env"]): boolean {
  return PATH.split(delimiter).some((folder) => folder !== "" && ["kubectl", "kubectl.exe"].some((name) => existsSync(join(folder, name))));
}
