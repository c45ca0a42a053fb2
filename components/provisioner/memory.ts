import type { V1PersistentVolume } from "@csi-sidecars/kube";
import type { DeletedClaim } from "./provision/deleted-claims.ts";
import type { Preparation, ProtectedSource } from "./provision/preparation.ts";

/** All that is kept about claims and volumes beside the caches. What of it a restart must not lose, `--persist-in-progress` keeps. */
export interface Memory {
  /** By the claim's uid: the driver may be making its volume, or have made it. The claim itself may be gone. */
  readonly inProgress: Map<string, Preparation>;
  /** By the claim's uid: the driver is being asked at this moment. */
  readonly asking: Map<string, Preparation>;
  /**
   * By uid, with `--recall-deleted-claims`: claims that were there when this process began, until the driver has said something about them.
   * A process before this one may have asked for their volumes.
   */
  readonly inherited: Set<string>;
  /** By uid: such claims and those that were gone by then, deleted without a volume, until the driver has said whether it has theirs. */
  readonly recalled: Map<string, DeletedClaim>;
  /** By the claim's uid, the name of its volume, until the claim is seen bound or gone. */
  readonly provisioned: Map<string, string>;
  /** By the claim's uid, when the driver said that it will never grant the request, and the class it was made with. */
  readonly infeasible: Map<string, { readonly at: number; readonly classUid: string }>;
  /** By the claim's uid, since when its selected node has had the same problem. */
  readonly nodeProblems: Map<string, { readonly node: string; readonly problem: string; readonly since: number }>;
  /** By the claim's uid, in a node deployment: how often this instance tried to become its owner, and when it may try again. */
  readonly ownershipTries: Map<string, { readonly tries: number; readonly due: number }>;
  /** Uids of cloned claims that were let go, until they are seen gone. */
  readonly releasedSources: Set<string>;
  /** Uids of PersistentVolumes whose volume the driver deleted. `released`: our finalizer is off too. */
  readonly deleted: Map<string, "volume" | "released">;
}

/** What is true of the driver, not of one run of the component: another run in the same process goes on with it. */
export interface Lasting {
  readonly inProgress: Memory["inProgress"];
  /** By name: volumes that exist at the driver, and whose objects are not saved yet. */
  readonly unsaved: Map<string, V1PersistentVolume>;
}

export function nothingLasting(): Lasting {
  return { inProgress: new Map(), unsaved: new Map() };
}

export function emptyMemory(inProgress: Memory["inProgress"] = new Map()): Memory {
  return {
    inProgress,
    asking: new Map(),
    inherited: new Set(),
    recalled: new Map(),
    provisioned: new Map(),
    infeasible: new Map(),
    nodeProblems: new Map(),
    ownershipTries: new Map(),
    releasedSources: new Set(),
    deleted: new Map(),
  };
}

/** The claim is bound or gone: what is known about its attempts is of no use any more, except that one may be running. */
export function forgetClaim(memory: Memory, uid: string): void {
  memory.inherited.delete(uid);
  memory.provisioned.delete(uid);
  memory.infeasible.delete(uid);
  memory.nodeProblems.delete(uid);
  memory.ownershipTries.delete(uid);
  memory.releasedSources.delete(uid);
}

/** The sources (`namespace/name`) that a call may be reading from, whatever became of the claims it was made for. */
export function sourcesInUse({ inProgress, asking }: Memory, kind: ProtectedSource["kind"]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const calls of [inProgress, asking]) {
    for (const { source } of calls.values()) if (source?.kind === kind) found.add(sourceKey(source));
  }
  return found;
}

export function sourceKey({ ref }: ProtectedSource): string {
  return `${ref.namespace}/${ref.name}`;
}
