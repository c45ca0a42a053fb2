import type { Clock, Logger } from "@csi-sidecars/base";
import {
  auditLog,
  type CallObserver,
  type CsiProxyHandlers,
  endpointOf,
  type GroupVersion,
  groupVersions,
  observedService,
  type ServerEndpoint,
  serviceFor,
} from "@csi-sidecars/csi-proxy/server";
import type { CsiProxyFlags } from "./flags.ts";

/** Upstream's order: those of `--working-dir`, and the kubelet's folder last. */
export const workingDirsOf = ({ workingDir, kubeletPath }: CsiProxyFlags): readonly string[] => [...workingDir, kubeletPath];

/** What `--groups` selects, in the order in which all are served. */
export function selectedGroups(groups: readonly string[]): readonly GroupVersion[] {
  const wanted = new Set(groups);
  return groupVersions.filter(({ group, version }) => wanted.size === 0 || wanted.has(group) || wanted.has(`${group}/${version}`));
}

export interface EndpointParts {
  readonly proxy: CsiProxyHandlers;
  /** Told of every call, beside the log. */
  readonly observers: readonly CallObserver[];
  readonly log: Logger;
  readonly clock: Clock;
}

/** The endpoints that the flags ask for. */
export function selectEndpoints(flags: CsiProxyFlags, { proxy, observers, log, clock }: EndpointParts): readonly ServerEndpoint[] {
  const { groups, endpointDir, strictVolumePaths } = flags;
  const sandbox = { workingDirs: workingDirsOf(flags), strictVolumePaths };
  return selectedGroups(groups).map((groupVersion) => {
    const { group, version } = groupVersion;
    const service = serviceFor(group, version, proxy, sandbox);
    const observed = observedService(service, [...observers, auditLog(log, groupVersion)], clock);
    return { ...observed, groupVersion, address: endpointOf(groupVersion, endpointDir) };
  });
}
