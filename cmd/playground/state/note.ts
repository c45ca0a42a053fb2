import { isRecord } from "@csi-sidecars/base";

/** What a cluster is made of: it stays so between runs. */
export interface ClusterShape {
  readonly real: boolean;
  readonly nodes: number;
  /** 0 without topology. */
  readonly zones: number;
  /** The name of somebody's own driver; absent for the hostpath driver. */
  readonly ownDriver?: string;
}

/** What the next run must know beside the cluster's objects. */
export interface Note {
  readonly shape: ClusterShape;
  /** What kubeconfigs of earlier runs depend on. */
  readonly adminToken: string;
  readonly authority?: { readonly certPem: string; readonly keyPem: string };
}

export function isNote(value: unknown): value is Note {
  if (!isRecord(value) || !isRecord(value.shape) || typeof value.adminToken !== "string") return false;
  const { real, nodes, zones, ownDriver } = value.shape;
  const { authority } = value;
  return (
    typeof real === "boolean" &&
    typeof nodes === "number" &&
    typeof zones === "number" &&
    (ownDriver === undefined || typeof ownDriver === "string") &&
    (authority === undefined || (isRecord(authority) && typeof authority.certPem === "string" && typeof authority.keyPem === "string"))
  );
}
