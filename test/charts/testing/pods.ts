import type { Manifest } from "../../../tools/generate-deploy/manifests.ts";

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string | number; readonly host?: string; readonly scheme?: string };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly env?: readonly { readonly name: string }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly resources: { readonly requests: object; readonly limits: object };
  readonly securityContext: object;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

export interface PodSpec {
  readonly serviceAccountName: string;
  readonly securityContext: object;
  readonly containers: readonly Container[];
  readonly volumes?: readonly { readonly name: string }[];
  readonly hostNetwork?: boolean;
  readonly terminationGracePeriodSeconds: number;
  readonly topologySpreadConstraints?: readonly { readonly topologyKey: string; readonly labelSelector: object }[];
}

/** A Deployment, StatefulSet or DaemonSet with its pods. */
export interface PodOwner extends Manifest {
  readonly spec: {
    readonly replicas?: number;
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly template: { readonly metadata: { readonly labels: Readonly<Record<string, string>> }; readonly spec: PodSpec };
  };
}

/** The manifests that make pods. */
export function podOwners(manifests: readonly Manifest[]): readonly PodOwner[] {
  return manifests.filter((manifest): manifest is PodOwner => ["Deployment", "StatefulSet", "DaemonSet"].includes(manifest.kind));
}

/** Where the kubelet sends a probe of a container. */
export function portOf(pod: PodSpec, container: Container, probe: Probe): number | undefined {
  const { port } = probe.httpGet;
  if (typeof port === "number") return port;
  return (container.ports ?? pod.containers.flatMap(({ ports = [] }) => ports)).find(({ name }) => name === port)?.containerPort;
}
