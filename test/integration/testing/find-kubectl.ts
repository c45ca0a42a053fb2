import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { assetsCache } from "../../../packages/testcluster/real/assets.ts";

/** Older ones phrase what they print differently, and make other requests: tried with each release from 1.27 to 1.36. */
const oldestMinor = 30;

/** A kubectl that the tests can use, or why there is none. */
export type FoundKubectl = { readonly path: string } | { readonly path?: never; readonly missing: string };

/** The real kubectl: the one built with the control plane, else the first on the PATH. */
export function findKubectl(env: NodeJS.ProcessEnv): FoundKubectl {
  const folders = [env.KUBEBUILDER_ASSETS || assetsCache(env), ...(env.PATH ?? "").split(delimiter)];
  const path = folders.map((folder) => join(folder, "kubectl")).find((file) => existsSync(file));
  if (path === undefined) return { missing: "no kubectl in KUBEBUILDER_ASSETS, the envtest cache or the PATH" };
  const { stdout } = spawnSync(path, ["version", "--client", "-o", "json"], { encoding: "utf8", timeout: 20_000 });
  const [, version, minor] = /"gitVersion": *"(v1\.(\d+)[^"]*)"/.exec(stdout ?? "") ?? [];
  if (Number(minor) >= oldestMinor) return { path };
  return { missing: `${path} is ${version ?? "of unknown version"}, the tests need v1.${oldestMinor} or newer` };
}
