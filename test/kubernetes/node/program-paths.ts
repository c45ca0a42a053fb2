import { findAssets } from "../../../packages/testcluster/real/assets.ts";
import { nodeProgramsFolder } from "../../../tools/kubernetes-e2e/location.ts";

/** The folders with the programs of the control plane, and with those of the node and the suite. */
export interface ProgramPaths {
  readonly controlPlane: string;
  readonly node: string;
}

export function programPaths(env: NodeJS.ProcessEnv): ProgramPaths {
  return { controlPlane: findAssets(env), node: nodeProgramsFolder(env) };
}
