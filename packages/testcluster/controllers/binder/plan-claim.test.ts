import { describe, expect, test } from "bun:test";
import type { Claim, Class, Volume } from "../fields.ts";
import { claim, claimRef, storageClass, volume } from "../testing/objects.ts";
import { type ClaimListers, planClaim } from "./plan-claim.ts";

interface Given {
  readonly volumes?: readonly Volume[];
  readonly classes?: readonly Class[];
  readonly preset?: Class;
  readonly pods?: readonly string[];
}

const worldOf = ({ volumes = [], classes = [storageClass()], preset, pods = [] }: Given): ClaimListers => ({
  volumeNamed: (name) => volumes.find((it) => it.metadata.name === name),
  candidates: () => volumes,
  classNamed: (name) => classes.find((it) => it.metadata.name === name),
  defaultClass: () => preset,
  waitingPods: () => pods,
});

const fullRef = {
  kind: "PersistentVolumeClaim",
  apiVersion: "v1",
  namespace: "default",
  name: "data",
  uid: "claim-uid",
  resourceVersion: "1",
};
const byController = { "pv.kubernetes.io/bound-by-controller": "yes" };
const completed = { "pv.kubernetes.io/bind-completed": "yes" };
const boundStatus = { phase: "Bound", accessModes: ["ReadWriteOnce"] as const, capacity: { storage: "1Gi" } } as const;
const bound = (parts: Parameters<typeof claim>[0] = {}): Claim =>
  claim({ status: boundStatus, ...parts, metadata: { annotations: completed }, spec: { volumeName: "pv-1", ...parts.spec } });
const late = storageClass({ volumeBindingMode: "WaitForFirstConsumer" });

const volumeRef = { target: "volume", part: "object", patch: { metadata: { annotations: byController }, spec: { claimRef: fullRef } } };
const volumeBound = { target: "volume", part: "status", patch: { status: { phase: "Bound", message: null } } };
const claimRefToVolume = {
  target: "claim",
  part: "object",
  patch: { metadata: { annotations: { ...byController, ...completed } }, spec: { volumeName: "pv-1" } },
};
const claimBound = { target: "claim", part: "status", patch: { status: boundStatus } };
const lost = (patch: object) => [{ target: "claim", part: "status", patch: { status: { phase: "Lost", ...patch } } }];
const cleared = { accessModes: null, capacity: null };

const provisioner = {
  "volume.beta.kubernetes.io/storage-provisioner": "csi.example.com",
  "volume.kubernetes.io/storage-provisioner": "csi.example.com",
};
const annotated = { target: "claim", part: "object", patch: { metadata: { annotations: provisioner } } };

type Row = readonly [name: string, claim: Claim, given: Given, patches: readonly object[], events: readonly (readonly [string, string])[]];

const rows: readonly Row[] = [
  ["a free volume is bound, volume first", claim(), { volumes: [volume()] }, [volumeRef, volumeBound, claimRefToVolume, claimBound], []],
  [
    "a volume provisioned for the claim is bound without marking it as chosen by us",
    claim(),
    { volumes: [volume({ spec: { claimRef }, status: { phase: "Pending" } })] },
    [volumeBound, claimRefToVolume, claimBound],
    [],
  ],
  [
    "a volume reserved by name gets the uid",
    claim(),
    { volumes: [volume({ spec: { claimRef: { name: "data", namespace: "default" } } })] },
    [{ target: "volume", part: "object", patch: { spec: { claimRef: fullRef } } }, volumeBound, claimRefToVolume, claimBound],
    [],
  ],
  [
    "an interrupted bind is finished where it stopped",
    claim({ spec: { volumeName: "pv-1" }, metadata: { annotations: { ...byController, ...completed } } }),
    { volumes: [volume({ spec: { claimRef }, status: { phase: "Bound" } })] },
    [claimBound],
    [],
  ],
  ["all is bound", bound(), { volumes: [volume({ spec: { claimRef }, status: { phase: "Bound" } })] }, [], []],
  [
    "a capacity that differs after the bind is a resize under way",
    bound({ status: { ...boundStatus, capacity: { storage: "512Mi" } } }),
    { volumes: [volume({ spec: { claimRef }, status: { phase: "Bound" } })] },
    [],
    [],
  ],
  [
    "the attributes class is taken over when the claim becomes bound",
    claim({ spec: { volumeAttributesClassName: "gold" } }),
    { volumes: [volume({ spec: { claimRef, volumeAttributesClassName: "gold" }, status: { phase: "Bound" } })] },
    [
      claimRefToVolume,
      { target: "claim", part: "status", patch: { status: { ...boundStatus, currentVolumeAttributesClassName: "gold" } } },
    ],
    [],
  ],
  [
    "no volume: the external provisioner is told",
    claim(),
    {},
    [annotated],
    [["ExternalProvisioning", "external provisioner 'csi.example.com'"]],
  ],
  [
    "the provisioner knows already",
    claim({ metadata: { annotations: { "volume.kubernetes.io/storage-provisioner": "csi.example.com" } } }),
    {},
    [],
    [["ExternalProvisioning", "Waiting for a volume to be created"]],
  ],
  ["the class does not exist", claim(), { classes: [] }, [], [["ProvisioningFailed", 'storageclass.storage.k8s.io "fast" not found']]],
  [
    "the class has no provisioner",
    claim(),
    { classes: [storageClass({ provisioner: "kubernetes.io/no-provisioner" })] },
    [],
    [["ProvisioningFailed", "no volume plugin matched name: kubernetes.io/no-provisioner"]],
  ],
  [
    "no class at all",
    claim({ spec: { storageClassName: "" } }),
    {},
    [],
    [["FailedBinding", "no persistent volumes available for this claim"]],
  ],
  [
    "a claim that says nothing gets the default class",
    claim({ spec: { storageClassName: undefined } }),
    { preset: storageClass() },
    [{ target: "claim", part: "object", patch: { spec: { storageClassName: "fast" } } }],
    [],
  ],
  [
    "late binding waits for a pod",
    claim(),
    { classes: [late] },
    [],
    [["WaitForFirstConsumer", "waiting for first consumer to be created before binding"]],
  ],
  [
    "late binding waits for the pod's node",
    claim(),
    { classes: [late], pods: ["app"] },
    [],
    [["WaitForPodScheduled", "waiting for pod app to be scheduled"]],
  ],
  [
    "late binding with two pods",
    claim(),
    { classes: [late], pods: ["a", "b"] },
    [],
    [["WaitForPodScheduled", "waiting for pods a,b to be scheduled"]],
  ],
  [
    "late binding leaves free volumes to the scheduler",
    claim(),
    { classes: [late], volumes: [volume()] },
    [],
    [["WaitForFirstConsumer", ""]],
  ],
  [
    "late binding with a node is provisioned",
    claim({ metadata: { annotations: { "volume.kubernetes.io/selected-node": "n1" } } }),
    { classes: [late] },
    [annotated],
    [["ExternalProvisioning", ""]],
  ],
  [
    "late binding takes what the scheduler bound",
    claim(),
    { classes: [late], volumes: [volume({ spec: { claimRef }, metadata: { annotations: byController } })] },
    [volumeBound, claimRefToVolume, claimBound],
    [],
  ],
  [
    "the requested volume is too small",
    claim({ spec: { volumeName: "pv-1" } }),
    { volumes: [volume({ spec: { capacity: { storage: "1G" } } })] },
    [],
    [["VolumeMismatch", 'Cannot bind to requested volume "pv-1": requested PV is too small']],
  ],
  [
    "the requested volume is somebody else's",
    claim({ spec: { volumeName: "pv-1" } }),
    { volumes: [volume({ spec: { claimRef: { ...claimRef, uid: "other" } } })] },
    [],
    [["FailedBinding", 'volume "pv-1" already bound to a different claim.']],
  ],
  ["the requested volume is awaited", claim({ spec: { volumeName: "pv-1" } }), {}, [], []],
  [
    "the requested volume is bound as the user's choice",
    claim({ spec: { volumeName: "pv-1" } }),
    { volumes: [volume()] },
    [volumeRef, volumeBound, { target: "claim", part: "object", patch: { metadata: { annotations: completed } } }, claimBound],
    [],
  ],
  ["the volume of a bound claim is gone", bound(), {}, lost(cleared), [["ClaimLost", "Bound claim has lost its PersistentVolume."]]],
  ["lost is told once", bound({ status: { phase: "Lost" } }), {}, [], []],
  [
    "a second claim of the same volume is lost",
    bound(),
    { volumes: [volume({ spec: { claimRef: { ...claimRef, uid: "other" } } })] },
    lost(cleared),
    [["ClaimMisbound", "Two claims are bound to the same volume"]],
  ],
];

describe("planClaim", () => {
  test.each(rows)("%s", (_name, given, listers, patches, events) => {
    const plan = planClaim(given, worldOf(listers));
    expect(plan.patches).toEqual(patches as typeof plan.patches);
    expect(plan.events.map(({ reason }) => reason)).toEqual(events.map(([reason]) => reason));
    for (const [i, [, message]] of events.entries()) expect(plan.events[i]?.message).toContain(message);
  });
});
