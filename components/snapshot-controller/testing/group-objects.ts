import type { Claim, GroupContent, GroupSnapshot, GroupSnapshotClass, Volume } from "../fields.ts";

// Objects as the caches hold them, for tests of plans.

type Changes<T> = { readonly metadata?: Partial<T extends { metadata: infer M } ? M : never> } & Partial<Omit<T, "metadata">>;

const identity = (name: string) => ({ name, uid: `uid-${name}`, resourceVersion: "7" });

export function cachedGroup({ metadata, ...rest }: Changes<GroupSnapshot> = {}): GroupSnapshot {
  return {
    metadata: { ...identity("group"), namespace: "ns", ...metadata },
    spec: { source: { selector: { matchLabels: { app: "db" } } }, volumeGroupSnapshotClassName: "gold" },
    ...rest,
  };
}

export function cachedStaticGroup({ metadata, ...rest }: Changes<GroupSnapshot> = {}): GroupSnapshot {
  return cachedGroup({ ...(metadata && { metadata }), spec: { source: { volumeGroupSnapshotContentName: "content" } }, ...rest });
}

const ref = { name: "group", namespace: "ns", uid: "uid-group" };

export function cachedGroupContent({ metadata, ...rest }: Changes<GroupContent> = {}): GroupContent {
  return {
    metadata: { ...identity("groupsnapcontent-uid-group"), ...metadata },
    spec: { deletionPolicy: "Delete", driver: "d.example.com", source: { volumeHandles: ["h1", "h2"] }, volumeGroupSnapshotRef: ref },
    ...rest,
  };
}

export function cachedStaticGroupContent(reference: Partial<typeof ref> = ref): GroupContent {
  const handles = { groupSnapshotHandles: { volumeGroupSnapshotHandle: "g1" } };
  return cachedGroupContent({
    metadata: { name: "content" },
    spec: { deletionPolicy: "Delete", driver: "d.example.com", source: handles, volumeGroupSnapshotRef: { ...ref, ...reference } },
  });
}

export function cachedGroupClass({ metadata, ...rest }: Changes<GroupSnapshotClass> = {}): GroupSnapshotClass {
  return { metadata: { ...identity("gold"), ...metadata }, driver: "d.example.com", deletionPolicy: "Delete", ...rest };
}

export function cachedClaim(name: string, labels: Record<string, string> = { app: "db" }, phase = "Bound"): Claim {
  const volumeName = `pv-${name}`;
  return { metadata: { ...identity(name), namespace: "ns", labels }, spec: { volumeName }, status: { phase } } as Claim;
}

export function cachedVolume(
  claim: string,
  csi: object | undefined = { driver: "d.example.com", volumeHandle: `handle-${claim}` },
): Volume {
  const claimRef = { name: claim, namespace: "ns", uid: `uid-${claim}` };
  return { metadata: identity(`pv-${claim}`), spec: { ...(csi && { csi }), claimRef, volumeMode: "Block" } } as Volume;
}
