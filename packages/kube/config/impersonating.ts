import type { ClusterConfig } from "./cluster-config.ts";
import { ConfigError } from "./config-fields.ts";
import { isHeaderSafe } from "./secret-string.ts";

/** The configuration with another user to act as, in place of the kubeconfig's. Throws ConfigError. */
export function impersonating(config: ClusterConfig, user: string, groups: readonly string[]): ClusterConfig {
  if ([user, ...groups].some((value) => value === "" || !isHeaderSafe(value)))
    throw new ConfigError("impersonation: the names of the user and the groups must be plain ASCII text");
  return { ...config, impersonate: { user, groups, extra: {} } };
}
