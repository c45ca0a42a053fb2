import { ownValue } from "@csi-sidecars/base";
import { groupResource, type ServedKind } from "../kind.ts";

/** Where strategic merge patch differs from JSON merge patch in an object: its lists that are merged rather than replaced. */
export interface MergeSchema {
  readonly lists?: Readonly<Record<string, MergedList>>;
  readonly objects?: Readonly<Record<string, MergeSchema>>;
}

/** A list without `key` is a set of scalars. */
export interface MergedList {
  readonly key?: string;
  readonly items?: MergeSchema;
}

const metadata: MergeSchema = { lists: { ownerReferences: { key: "uid" }, finalizers: {} } };

const by = (key: string, items?: MergeSchema): MergedList => ({ key, ...(items && { items }) });

const container: MergeSchema = {
  lists: { ports: by("containerPort"), env: by("name"), volumeMounts: by("mountPath"), volumeDevices: by("devicePath") },
};

const podSpec: MergeSchema = {
  lists: {
    volumes: by("name"),
    containers: by("name", container),
    initContainers: by("name", container),
    ephemeralContainers: by("name", container),
    imagePullSecrets: by("name"),
    hostAliases: by("ip"),
    topologySpreadConstraints: by("topologyKey"),
    schedulingGates: by("name"),
    resourceClaims: by("name"),
  },
};

const podStatus: MergeSchema = {
  lists: { conditions: by("type"), hostIPs: by("ip"), podIPs: by("ip"), resourceClaimStatuses: by("name") },
};

const conditions: MergeSchema = { lists: { conditions: by("type") } };

const template: MergeSchema = { objects: { template: { objects: { metadata, spec: podSpec } } } };

const kinds: Readonly<Record<string, MergeSchema>> = {
  pods: { objects: { spec: podSpec, status: podStatus } },
  persistentvolumeclaims: { objects: { status: conditions } },
  namespaces: { objects: { status: conditions } },
  nodes: {
    objects: { spec: { lists: { podCIDRs: {} } }, status: { lists: { conditions: by("type"), addresses: by("type") } } },
  },
  services: { objects: { spec: { lists: { ports: by("port") } }, status: conditions } },
  serviceaccounts: { lists: { secrets: by("name") } },
  "csinodes.storage.k8s.io": { objects: { spec: { lists: { drivers: by("name") } } } },
  "deployments.apps": { objects: { spec: template, status: conditions } },
  "daemonsets.apps": { objects: { spec: template, status: conditions } },
  "statefulsets.apps": { objects: { spec: template, status: conditions } },
};

/** The lists of a built-in kind that a strategic merge patch merges. Taints, tolerations and access modes are not among them. */
export function mergeSchemaOf(kind: ServedKind): MergeSchema {
  const own = ownValue(kinds, groupResource(kind)) ?? {};
  return { ...own, objects: { ...own.objects, metadata } };
}
