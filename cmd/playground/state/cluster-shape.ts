import { isRecord } from "@csi-sidecars/base";
import type { Options } from "../options.ts";
import { UserError } from "../user-error.ts";

/** What a cluster consists of. It cannot change between runs. */
export interface ClusterShape {
  readonly real: boolean;
  readonly nodes: number;
  /** 0 without topology. */
  readonly zones: number;
  /** The name of the user's own driver; absent for the hostpath driver. */
  readonly ownDriver?: string;
}

/** What the next run needs besides the cluster's objects. */
export interface SavedRun {
  readonly shape: ClusterShape;
  /** Kubeconfigs of earlier runs contain it. */
  readonly adminToken: string;
  readonly authority?: { readonly certPem: string; readonly keyPem: string };
}

export function isSavedRun(value: unknown): value is SavedRun {
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

type RequestedShape = Pick<Options, "real" | "nodes" | "zones" | "state" | "driver">;

/** The shape that the flags ask for. Flags that are not given follow the kept cluster; flags that contradict it are refused. */
export function resolveShape(asked: RequestedShape, kept?: ClusterShape): Omit<ClusterShape, "ownDriver"> {
  const fresh = { nodes: asked.driver === undefined ? Math.max(2, asked.zones ?? 0) : 1, zones: 0 };
  if (!kept) return { real: asked.real, nodes: asked.nodes ?? fresh.nodes, zones: asked.zones ?? fresh.zones };
  const refuse = (is: string, remedy: string) => {
    throw new UserError(`--state: the cluster in ${asked.state} ${is}: ${remedy}, or use another folder`);
  };
  if (kept.real && !asked.real) refuse("is a real one", "add --real");
  if (!kept.real && asked.real) refuse("is an embedded one", "omit --real");
  if (kept.ownDriver !== undefined && asked.driver === undefined) refuse(`is for the driver ${kept.ownDriver}`, "add --driver");
  if (kept.ownDriver === undefined && asked.driver !== undefined) refuse("is for the hostpath driver", "omit --driver");
  if (asked.nodes !== undefined && asked.nodes !== kept.nodes) refuse(`has ${kept.nodes} nodes`, "omit --nodes");
  if (asked.zones !== undefined && asked.zones !== kept.zones) refuse(`has ${kept.zones || "no"} zones`, "omit --topology");
  return kept;
}
