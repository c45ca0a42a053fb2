import { homedir } from "node:os";
import { join } from "node:path";

/** The release of csi-test whose csi-sanity is built; `go.mod` requires the same one. */
export const csiTestVersion = "v5.6.0";

/** Where csi-sanity is: `CSI_SANITY`, else what `npm run csi-sanity:build` put into the user's cache. */
export function csiSanityPath(env: NodeJS.ProcessEnv): string {
  const cache = env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return env.CSI_SANITY || join(cache, "csi-sidecars", "csi-sanity", csiTestVersion, "csi-sanity");
}
