import { describe, expect, test } from "bun:test";
import { explain } from "./explain.ts";
import type { Explanation } from "./explanation.ts";
import type { ClaimFacts } from "./facts.ts";
import { missing, seen, unseen } from "./look.ts";
import { renderText } from "./render.ts";
import {
  actor,
  ago,
  asked,
  bound,
  claim,
  claimFacts,
  driver,
  event,
  late,
  lease,
  nodeFacts,
  now,
  onNode,
  pod,
  storageClass,
  volume,
} from "./testing/objects.ts";

/** State and summary, and a piece of what to do. */
type Expected = readonly [Explanation["state"], string, string?];

function check(facts: ClaimFacts, [state, summary, remedy]: Expected) {
  const answer = explain(facts);
  expect([answer.state, answer.summary]).toEqual([state, summary]);
  const blocking = answer.steps.find((step) => step.what === summary);
  if (remedy !== undefined) expect(blocking?.remedy).toContain(remedy);
  return answer;
}

const table = (cases: readonly (readonly [string, ClaimFacts, Expected])[]) => {
  for (const [name, facts, expected] of cases) test(name, () => void check(facts, expected));
};

const grpc = (code: string, text = "because") => `failed: rpc error: code = ${code} desc = ${text}`;
const failedWith = (code: string) => claimFacts(claim(), { events: [event("PersistentVolumeClaim", "ProvisioningFailed", grpc(code))] });

describe("a claim", () => {
  table([
    ["does not exist", claimFacts(undefined), ["failed", "does not exist"]],
    ["may not be read", claimFacts(undefined, { claim: unseen }), ["failed", "could not be read"]],
    [
      "could not be read, and why",
      claimFacts(undefined, { claim: unseen, unseen: ["could not look at PersistentVolumeClaim default/data: needs get on it"] }),
      ["failed", "could not be read: needs get on it"],
    ],
    ["is bound", claimFacts(bound(), { volume: seen(volume()) }), ["done", "nothing is waiting: the claim is bound"]],
    [
      "is bound to a volume that is gone",
      claimFacts(bound(), { volume: missing }),
      ["failed", "the claim is bound to volume pv-1, which does not exist any more", "restore"],
    ],
    [
      "is bound to a volume that somebody deleted",
      claimFacts(bound(), { volume: seen(volume({}, { phase: "Bound" }, { deletionTimestamp: ago(1) })) }),
      ["waiting", "volume pv-1 is being deleted, and goes as soon as the claim does", "save the data"],
    ],
    [
      "is lost",
      claimFacts(bound({}, { phase: "Lost" })),
      ["failed", "the claim has lost its volume pv-1: the PersistentVolume object was deleted, or belongs to another claim", "restore"],
    ],
  ]);
});

describe("the class", () => {
  table([
    [
      "does not exist",
      claimFacts(claim(), { storageClass: missing }),
      ["failed", "the claim names class fast, which does not exist", "create class fast"],
    ],
    [
      "is not named, and there is no default",
      claimFacts(claim({ storageClassName: undefined }), { storageClass: undefined, defaultClasses: seen([]) }),
      ["failed", "the claim names no class, and the cluster has no default class", "mark a class as the default"],
    ],
    [
      "is not named, and there is a default",
      claimFacts(claim({ storageClassName: undefined }), { storageClass: undefined, defaultClasses: seen([storageClass()]) }),
      ["waiting", "the claim names no class, and has yet to be given the default class fast"],
    ],
    [
      "is not named, and classes may not be read",
      claimFacts(claim({ storageClassName: undefined }), { storageClass: undefined, defaultClasses: unseen }),
      ["waiting", "the claim names no class"],
    ],
  ]);
});

describe("late binding", () => {
  const unschedulable = {
    type: "PodScheduled",
    status: "False",
    reason: "Unschedulable",
    message: "0/3 nodes: too little memory",
    lastTransitionTime: ago(4),
  };
  const gated = { type: "PodScheduled", status: "False", reason: "SchedulingGated" };
  const waits = (more: Partial<ClaimFacts>, annotations = {}) =>
    claimFacts(claim({}, {}, { annotations }), { storageClass: seen(late), ...more });
  table([
    [
      "no pod",
      waits({ pods: seen([]) }),
      ["waiting", "no pod uses the claim, and its class makes volumes only when one does", "create a pod"],
    ],
    [
      "pods may not be read",
      waits({ pods: unseen }),
      ["waiting", "the class waits for the first pod that uses the claim, and for its node"],
    ],
    [
      "the pod fits on no node",
      waits({ pods: seen([pod({}, { conditions: [unschedulable] })]) }),
      ["waiting", "pod default/app fits on no node: 0/3 nodes: too little memory", "make room"],
    ],
    [
      "the pod is gated",
      waits({ pods: seen([pod({}, { conditions: [gated] })]) }),
      ["waiting", "pod default/app is held back by its scheduling gates"],
    ],
    [
      "the pod was not looked at yet",
      waits({ pods: seen([pod()]) }),
      ["waiting", "the scheduler has yet to choose a node for pod default/app"],
    ],
    [
      "the driver had no room on the chosen node",
      waits({ pods: seen([pod()]), events: [event("PersistentVolumeClaim", "ProvisioningFailed", grpc("ResourceExhausted"))] }),
      [
        "failed",
        `${driver} could not make the volume for the node that was chosen, and the scheduler has to choose another one: the storage has no room left, or a quota is used up (ResourceExhausted)`,
        "add capacity",
      ],
    ],
    [
      "no node has room, by what the driver published",
      waits({
        pods: seen([pod({}, { conditions: [{ ...unschedulable, message: "0/3 nodes: 3 node(s) did not have enough free storage." }] })]),
      }),
      ["waiting", "pod default/app fits on no node: 0/3 nodes: 3 node(s) did not have enough free storage.", "csistoragecapacities"],
    ],
    [
      "the pod goes past the scheduler",
      waits({ pods: seen([pod({ nodeName: "n1" })]) }),
      ["failed", "pod default/app names its node itself, so the scheduler never chooses one for the claim", "nodeSelector"],
    ],
    [
      "the node is gone",
      waits({ pods: seen([pod()]), selectedNode: nodeFacts({ node: missing, csiNode: missing }) }, onNode),
      ["failed", "node n1 was chosen for the claim, and does not exist any more", "delete the pod"],
    ],
    [
      "the choice was taken back, and an empty annotation is left",
      waits({ pods: seen([]), selectedNode: undefined }, { ...asked, "volume.kubernetes.io/selected-node": "" }),
      ["waiting", "no pod uses the claim, and its class makes volumes only when one does"],
    ],
    [
      "the node lacks the driver",
      waits(
        { pods: seen([pod()]), selectedNode: nodeFacts({ csiNode: seen({ metadata: { name: "n1" }, spec: { drivers: [] } }) }) },
        onNode,
      ),
      ["waiting", `node n1 was chosen for the claim, but driver ${driver} is not registered there`, "node pod runs on n1"],
    ],
    [
      "the node is fine: the provisioner is next",
      waits({ pods: seen([pod()]), selectedNode: nodeFacts() }, onNode),
      ["waiting", `${driver} has not said anything about the claim`],
    ],
  ]);

  test("says since when, with the object that proves it", () => {
    const { steps } = explain(waits({ pods: seen([pod({}, { conditions: [unschedulable] })]) }));
    expect(steps.find(({ state }) => state === "waiting")?.evidence).toEqual([
      { object: "Pod default/app", field: "status.conditions[PodScheduled]", value: "0/3 nodes: too little memory", since: ago(4) },
    ]);
    expect(steps.map(({ state }) => state)).toEqual(["done", "waiting", "not yet", "not yet"]);
  });
});

describe("nobody provisions", () => {
  const silent = lease("csi-example-com", 30);
  table([
    [
      "not asked yet",
      claimFacts(claim({}, {}, { annotations: {} })),
      ["waiting", "the cluster has not yet asked any provisioner to make the volume", "kube-controller-manager"],
    ],
    [
      "not installed",
      claimFacts(claim(), { actor: actor({ csiDriver: missing, leases: seen([]) }) }),
      [
        "failed",
        `driver ${driver} seems not to be installed: there is neither a CSIDriver object nor a lease of its provisioner`,
        "install the driver",
      ],
    ],
    [
      "no lease",
      claimFacts(claim(), { actor: actor({ leases: seen([]) }) }),
      ["waiting", `no lease of the provisioner of driver ${driver} was found: it does not run, or it runs without --leader-election`],
    ],
    [
      "the lease ran out",
      claimFacts(claim(), { actor: actor({ leases: seen([silent]) }) }),
      [
        "failed",
        `the provisioner of driver ${driver} does not run: host-1 led last and has not renewed its lease for 30m`,
        "namespace storage",
      ],
    ],
    [
      "the lease was given back",
      claimFacts(claim(), { actor: actor({ leases: seen([lease("csi-example-com", 30, "")]) }) }),
      ["waiting", `the provisioner of driver ${driver} does not run now: its lease has no holder`],
    ],
    [
      "the common lease is held without a provisioner",
      claimFacts(claim(), {
        actor: actor({
          leases: seen([lease("csi-sidecars-csi-example-com", 0, "h", { "csi-sidecars.storage.k8s.io/controllers": "attacher" })]),
        }),
      }),
      ["waiting", `no lease of the provisioner of driver ${driver} was found: it does not run, or it runs without --leader-election`],
    ],
    [
      "the lease ran out, but the provisioner speaks",
      claimFacts(claim(), {
        actor: actor({ leases: seen([silent]) }),
        events: [event("PersistentVolumeClaim", "Provisioning", "trying", 2)],
      }),
      ["waiting", `${driver} is making the volume, or will try again soon`],
    ],
    [
      "the lease ran out after the provisioner spoke",
      claimFacts(claim(), {
        actor: actor({ leases: seen([silent]) }),
        events: [event("PersistentVolumeClaim", "Provisioning", "trying", 40)],
      }),
      ["failed", `the provisioner of driver ${driver} does not run: host-1 led last and has not renewed its lease for 30m`],
    ],
    [
      "no lease, but the provisioner speaks",
      claimFacts(claim(), { actor: actor({ leases: seen([]) }), events: [event("PersistentVolumeClaim", "Provisioning", "trying", 2)] }),
      ["waiting", `${driver} is making the volume, or will try again soon`],
    ],
    [
      "leases may not be read",
      claimFacts(claim(), { actor: actor({ leases: unseen }) }),
      ["waiting", `${driver} has not said anything about the claim`],
    ],
    [
      "the driver does not answer",
      claimFacts(claim(), { actor: actor({ answer: { reached: false, because: "no CSI driver answers at /csi" } }) }),
      ["failed", "the driver does not answer: no CSI driver answers at /csi", "container"],
    ],
    [
      "the driver is not ready",
      claimFacts(claim(), { actor: actor({ answer: { reached: true, name: driver, ready: false, capabilities: [] } }) }),
      ["failed", `driver ${driver} says that it is not ready`],
    ],
    [
      "the driver cannot",
      claimFacts(claim(), { actor: actor({ answer: { reached: true, name: driver, ready: true, capabilities: ["EXPAND_VOLUME"] } }) }),
      ["failed", `driver ${driver} cannot do this: it lacks the capability CREATE_DELETE_VOLUME`],
    ],
  ]);
});

describe("the driver's words are translated", () => {
  const could = (meaning: string) => `${driver} could not make the volume: ${meaning}`;
  table([
    [
      "no room",
      failedWith("ResourceExhausted"),
      ["failed", could("the storage has no room left, or a quota is used up (ResourceExhausted)"), "capacity"],
    ],
    [
      "bad request",
      failedWith("InvalidArgument"),
      ["failed", could("the driver refuses the request as it is; repeating it will not help (InvalidArgument)"), "parameters of the class"],
    ],
    [
      "too slow",
      failedWith("DeadlineExceeded"),
      [
        "failed",
        could("the driver did not answer in time; it may still be at work, and the call is repeated (DeadlineExceeded)"),
        "--timeout",
      ],
    ],
    [
      "away",
      failedWith("Unavailable"),
      [
        "failed",
        could("the driver, or the storage behind it, is not reachable now; it is tried again (Unavailable)"),
        "reaches its storage",
      ],
    ],
    [
      "not allowed",
      failedWith("PermissionDenied"),
      ["failed", could("the storage does not let the driver do this (PermissionDenied)"), "credentials"],
    ],
    ["an unknown code", failedWith("Code(99)"), ["failed", `${driver} cannot make the volume: ${grpc("Code(99)")}`]],
    [
      "not from the driver at all",
      claimFacts(claim(), { events: [event("PersistentVolumeClaim", "ProvisioningFailed", "claim Selector is not supported")] }),
      ["failed", `${driver} cannot make the volume: claim Selector is not supported`],
    ],
    [
      "the cluster's own complaint is not the driver's",
      claimFacts(claim(), { events: [event("PersistentVolumeClaim", "ProvisioningFailed", "x", 1, "persistentvolume-controller")] }),
      ["waiting", `${driver} has not said anything about the claim`],
    ],
    [
      "a new try after the failure",
      claimFacts(claim(), {
        events: [
          event("PersistentVolumeClaim", "ProvisioningFailed", grpc("Internal"), 5),
          event("PersistentVolumeClaim", "Provisioning", "again", 1),
        ],
      }),
      ["waiting", `${driver} is making the volume, or will try again soon`],
    ],
    [
      "it was made, and is not bound yet",
      claimFacts(claim(), { events: [event("PersistentVolumeClaim", "ProvisioningSucceeded", "done", 0)] }),
      ["waiting", "the cluster has yet to bind the claim"],
    ],
  ]);

  test("the event is the evidence, on one line and without control characters", () => {
    const facts = claimFacts(claim(), { events: [event("PersistentVolumeClaim", "ProvisioningFailed", grpc("Internal", "a\n\x1b[31mb"))] });
    const { steps } = explain(facts);
    expect(steps.find(({ state }) => state === "failed")?.evidence).toEqual([
      {
        object: "PersistentVolumeClaim default/data",
        field: "event ProvisioningFailed (3 times)",
        value: "failed: rpc error: code = Internal desc = a [31mb",
        since: ago(6),
      },
    ]);
  });

  test("an infeasible request says when the next try comes", () => {
    const text = `Volume provisioning failed with infeasible error. Retries will be delayed. ${grpc("InvalidArgument")}`;
    const { steps } = explain(claimFacts(claim(), { events: [event("PersistentVolumeClaim", "ProvisioningFailed", text)] }));
    expect(steps.find(({ state }) => state === "failed")?.remedy).toContain("the next try comes within 5 minutes");
  });
});

describe("a data source", () => {
  const ref = { namespace: "default", name: "src" };
  const from = (source: NonNullable<ClaimFacts["source"]>, events: ClaimFacts["events"] = []) => claimFacts(claim(), { source, events });
  const snapshot = (status: object) => from({ kind: "VolumeSnapshot", ref, snapshot: seen({ status }) });
  const ready = { readyToUse: true, boundVolumeSnapshotContentName: "c" };
  const other = { kind: "other", named: "Book default/src", group: "library.io", sourceKind: "Book" } as const;
  table([
    [
      "a snapshot that does not exist",
      from({ kind: "VolumeSnapshot", ref, snapshot: missing }),
      ["failed", "VolumeSnapshot default/src, from which the volume is to be made, does not exist", "create it"],
    ],
    [
      "a snapshot that is not ready",
      snapshot({ ...ready, readyToUse: false }),
      ["waiting", "VolumeSnapshot default/src is not ready to be used"],
    ],
    ["a snapshot that is not bound", snapshot({}), ["waiting", "VolumeSnapshot default/src is not ready to be used"]],
    [
      "a snapshot that failed",
      snapshot({ error: { message: "disk on fire" } }),
      ["failed", "VolumeSnapshot default/src failed: disk on fire", "anew"],
    ],
    [
      "a snapshot that is larger",
      snapshot({ ...ready, restoreSize: "2Gi" }),
      ["failed", "the claim asks for 1Gi, less than the 2Gi of VolumeSnapshot default/src", "at least 2Gi"],
    ],
    ["a snapshot that is ready", snapshot(ready), ["waiting", `${driver} has not said anything about the claim`]],
    [
      "a claim that does not exist",
      from({ kind: "PersistentVolumeClaim", ref, claim: missing }),
      ["failed", "PersistentVolumeClaim default/src, from which the volume is to be made, does not exist"],
    ],
    [
      "a claim that is not bound",
      from({ kind: "PersistentVolumeClaim", ref, claim: seen(claim()) }),
      ["waiting", "PersistentVolumeClaim default/src, which is to be cloned, is not bound itself", "why pvc default/src"],
    ],
    [
      "a claim that is being deleted",
      from({ kind: "PersistentVolumeClaim", ref, claim: seen(bound({}, {}, { deletionTimestamp: ago(1) })) }),
      ["failed", "PersistentVolumeClaim default/src, which is to be cloned, is being deleted"],
    ],
    [
      "a claim that is being deleted, and stays until this clone of it is made",
      from({
        kind: "PersistentVolumeClaim",
        ref,
        claim: seen(bound({}, {}, { deletionTimestamp: ago(1), finalizers: ["provisioner.storage.kubernetes.io/cloning-protection"] })),
      }),
      ["waiting", `${driver} has not said anything about the claim`],
    ],
    [
      "a claim that was being deleted before this one was made",
      from({
        kind: "PersistentVolumeClaim",
        ref,
        claim: seen(bound({}, {}, { deletionTimestamp: ago(30), finalizers: ["provisioner.storage.kubernetes.io/cloning-protection"] })),
      }),
      ["failed", "PersistentVolumeClaim default/src, which is to be cloned, is being deleted"],
    ],
    [
      "a kind that a populator serves",
      from({ ...other, populators: seen([{ sourceKind: { group: "library.io", kind: "Book" } }]) }),
      ["waiting", "a volume populator has to fill the volume from Book default/src"],
    ],
    [
      "a kind that nobody serves",
      from({ ...other, populators: seen([]) }),
      [
        "failed",
        "the claim is to be filled from Book default/src, and no volume populator is registered for that kind",
        "install the populator",
      ],
    ],
    [
      "a kind that the validator complained of",
      from({ ...other, populators: missing }, [event("PersistentVolumeClaim", "UnrecognizedDataSourceKind", "no match")]),
      ["failed", "the claim is to be filled from Book default/src, and no volume populator is registered for that kind"],
    ],
  ]);
});

describe("a volume made by hand", () => {
  const byHand = (spec: Parameters<typeof claim>[0], ...volumes: ReturnType<typeof volume>[]) =>
    claimFacts(claim({ storageClassName: "", ...spec }), { storageClass: undefined, volumes: seen(volumes) });
  const nearest = (problem: string) => `none of the 1 free volumes fits; nearest is pv-1: ${problem}`;
  const plain = { storageClassName: "" };
  table([
    [
      "none is free",
      byHand({}, volume(plain, { phase: "Bound" })),
      ["waiting", "the cluster has no volume that is free", "create a PersistentVolume"],
    ],
    ["too small", byHand({}, volume({ ...plain, capacity: { storage: "500Mi" } })), ["waiting", nearest("it has 500Mi, wanted 1Gi")]],
    ["another class", byHand({}, volume()), ["waiting", nearest("its class is fast, wanted none")]],
    ["another mode", byHand({ volumeMode: "Block" }, volume(plain)), ["waiting", nearest("its volumeMode is Filesystem, wanted Block")]],
    [
      "another access mode",
      byHand({ accessModes: ["ReadWriteMany"] }, volume(plain)),
      ["waiting", nearest("it does not offer ReadWriteMany (only ReadWriteOnce)")],
    ],
    [
      "other labels",
      byHand({ selector: { matchLabels: { tier: "gold" } } }, volume(plain)),
      ["waiting", nearest("its labels do not satisfy the selector (tier)")],
    ],
    [
      "kept for another",
      byHand({}, volume({ ...plain, claimRef: { namespace: "default", name: "other" } })),
      ["waiting", nearest("it is kept for claim default/other")],
    ],
    ["it fits", byHand({}, volume(plain)), ["waiting", "the cluster has yet to bind the claim"]],
    [
      "the named one does not exist",
      claimFacts(claim({ volumeName: "pv-1" }), { volume: missing }),
      ["waiting", "the claim names volume pv-1, which does not exist", "create PersistentVolume pv-1"],
    ],
    [
      "the named one belongs to the claim's forerunner",
      claimFacts(claim({ volumeName: "pv-1" }), {
        volume: seen(volume({ claimRef: { namespace: "default", name: "data", uid: "old" } }, { phase: "Released" })),
      }),
      [
        "failed",
        "the claim names volume pv-1, which it cannot have: it belongs to an older claim of the same name (spec.claimRef.uid differs)",
        "remove spec.claimRef.uid",
      ],
    ],
  ]);

  test("on the wrong side of its node affinity", () => {
    const far = { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In" as const, values: ["b"] }] }] } };
    const handMade = storageClass({ provisioner: "kubernetes.io/no-provisioner", volumeBindingMode: "WaitForFirstConsumer" });
    const facts = claimFacts(claim({}, {}, { annotations: onNode }), {
      storageClass: seen(handMade),
      selectedNode: nodeFacts(),
      volumes: seen([volume({ nodeAffinity: far })]),
    });
    check(facts, ["waiting", nearest("its nodeAffinity leaves out node n1")]);
  });
});

describe("a claim that is being deleted", () => {
  const going = (finalizers: string[], more: Partial<ClaimFacts> = {}) =>
    claimFacts(bound({}, {}, { deletionTimestamp: ago(2), finalizers }), { volume: seen(volume()), ...more });
  const protection = ["kubernetes.io/pvc-protection"];
  table([
    [
      "a pod uses it",
      going(protection, { pods: seen([pod({ nodeName: "n1" })]) }),
      ["waiting", "the claim is being deleted, and kept because a pod uses it: default/app (on n1)", "delete these pods"],
    ],
    ["no pod uses it", going(protection, { pods: seen([]) }), ["waiting", "the claim is being deleted; no pod uses it any more"]],
    [
      "pods may not be read",
      going(protection, { pods: unseen }),
      ["waiting", "the claim is being deleted, and kept as long as pods use it"],
    ],
    [
      "clones are made of it",
      going(["provisioner.storage.kubernetes.io/cloning-protection"], { clones: seen([claim()]) }),
      ["waiting", "the claim is being deleted, and kept as long as clones are made of it: default/data"],
    ],
    [
      "the driver may be making its volume",
      going(["provisioner.storage.kubernetes.io/provisioning-in-progress"]),
      ["waiting", "the claim is being deleted, and kept until the driver has said whether it made a volume for it", "stay behind"],
    ],
    ["somebody else's finalizer", going(["example.com/mine"]), ["waiting", "the claim is being deleted, and kept by example.com/mine"]],
  ]);
});

describe("a claim that grows", () => {
  const condition = (type: string, message = "") => ({ type, status: "True", message, lastTransitionTime: ago(5) });
  const grows = (status: Parameters<typeof bound>[1] = {}, more: Partial<ClaimFacts> = {}) =>
    claimFacts(bound({ resources: { requests: { storage: "2Gi" } } }, status), { volume: seen(volume()), pods: seen([]), ...more });
  const node = { allocatedResourceStatuses: { storage: "NodeResizePending" as const }, conditions: [condition("FileSystemResizePending")] };
  table([
    ["nobody took it up", grows(), ["waiting", "no resizer has taken up the request for a larger volume"]],
    [
      "no resizer runs",
      grows({}, { actor: actor({ leases: seen([lease("external-resizer-csi-example-com", 9)]) }) }),
      ["failed", `the resizer of driver ${driver} does not run: host-1 led last and has not renewed its lease for 9m`],
    ],
    ["the driver is at it", grows({ conditions: [condition("Resizing")] }), ["waiting", "the driver is making the volume larger"]],
    [
      "the driver failed",
      grows({}, { events: [event("PersistentVolumeClaim", "VolumeResizeFailed", grpc("FailedPrecondition"))] }),
      ["failed", "the volume could not grow: the volume cannot grow while it is in use (FailedPrecondition)", "stop the pods"],
    ],
    [
      "the size is infeasible",
      grows({
        allocatedResourceStatuses: { storage: "ControllerResizeInfeasible" },
        conditions: [condition("ControllerResizeError", grpc("OutOfRange"))],
      }),
      [
        "failed",
        "the storage cannot give the volume this size: the size asked for is not one the storage offers",
        "lower spec.resources.requests.storage",
      ],
    ],
    [
      "the node has to, and no pod runs",
      grows(node),
      ["waiting", "the file system grows when a pod uses the claim, and none does", "start a pod"],
    ],
    [
      "the node has to",
      grows(node, { pods: seen([pod({ nodeName: "n1" })]) }),
      ["waiting", "the kubelet has to make the file system larger for pod default/app on n1"],
    ],
    [
      "the node failed",
      grows({ allocatedResourceStatuses: { storage: "NodeResizeInfeasible" }, conditions: [condition("NodeResizeError", "fs is full")] }),
      ["failed", "the node could not make the file system larger: fs is full"],
    ],
  ]);
});

describe("a claim that changes its attributes", () => {
  const changes = (status: Parameters<typeof bound>[1] = {}, more: Partial<ClaimFacts> = {}) =>
    claimFacts(bound({ volumeAttributesClassName: "gold" }, status), {
      volume: seen(volume()),
      attributesClass: seen({ driverName: driver }),
      ...more,
    });
  const status = (word: "Pending" | "InProgress" | "Infeasible") => ({
    modifyVolumeStatus: { status: word, targetVolumeAttributesClassName: "gold" },
  });
  table([
    [
      "the class does not exist",
      changes(status("Pending"), { attributesClass: missing }),
      ["failed", "the claim names VolumeAttributesClass gold, which does not exist"],
    ],
    ["nobody took it up", changes(), ["waiting", "no resizer has taken up the change of the volume to gold"]],
    ["the driver is at it", changes(status("InProgress")), ["waiting", "the driver is changing the volume to gold"]],
    [
      "the driver said no",
      changes(status("Infeasible"), { events: [event("PersistentVolumeClaim", "VolumeModifyFailed", grpc("InvalidArgument"))] }),
      [
        "failed",
        "the volume could not be changed to gold: the driver refuses the parameters of the VolumeAttributesClass (InvalidArgument)",
        "another class",
      ],
    ],
    ["it is done", changes({ currentVolumeAttributesClassName: "gold" }), ["done", "nothing is waiting: the claim is bound"]],
  ]);
});

test("as text: the answer, the steps, what proves them, what to do, what was not seen", () => {
  const facts = claimFacts(claim({}, {}, { annotations: asked }), {
    actor: actor({ leases: seen([lease("csi-example-com", 30)]) }),
    unseen: ["could not look at StorageClass fast: needs get on storageclasses.storage.k8s.io"],
    storageClass: unseen,
  });
  expect(
    renderText(explain(facts), now),
  ).toBe(`PersistentVolumeClaim default/data: the provisioner of driver csi.example.com does not run: host-1 led last and has not renewed its lease for 30m

  done     the claim names class fast
  done     the cluster asks the provisioner of csi.example.com for a volume
  failed   the provisioner of driver csi.example.com does not run: host-1 led last and has not renewed its lease for 30m
           Lease storage/csi-example-com: spec.renewTime: 2026-03-01T11:30:00.000Z
           -> look at the pods of the driver's controller in namespace storage
  not yet  the volume is made
  not yet  claim and volume are bound to each other

could not look at StorageClass fast: needs get on storageclasses.storage.k8s.io
`);
});
