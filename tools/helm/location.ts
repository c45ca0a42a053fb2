import { homedir } from "node:os";
import { join } from "node:path";

/** The release of Helm that is built; `go.mod` requires the same one. */
export const helmVersion = "v3.22.0";

/** Where helm is: `HELM`, else what `npm run helm:build` put into the user's cache. */
export function helmPath(env: NodeJS.ProcessEnv): string {
  const cache = env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return env.HELM || join(cache, "csi-sidecars", "helm", helmVersion, "helm");
}
