import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { installedAssets } from "@csi-sidecars/testcluster";

/** How to call kubectl: by its name where it is installed, by its path where only a control plane for tests has brought it. */
export function findKubectl(env: NodeJS.ProcessEnv): string | undefined {
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  if (folders.some((folder) => ["kubectl", "kubectl.exe"].some((name) => existsSync(join(folder, name))))) return "kubectl";
  const assets = installedAssets(env);
  return assets && join(assets, "kubectl");
}
