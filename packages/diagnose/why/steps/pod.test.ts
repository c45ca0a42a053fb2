import { describe, expect, test } from "bun:test";
import { found, missing } from "../../access/read-cluster.ts";
import type { Explanation } from "../explanation.ts";
import type { ObservedPod } from "../gather/observed.ts";
import { renderText } from "../render.ts";
import { ago, attachment, bound, claim, event, late, now, observedAttachment, observedClaim, pod, volume } from "../testing/objects.ts";
import { responsibleFor } from "../testing/sidecars.ts";
import { explainPod } from "./pod.ts";

const multiAttach = (volume: string) =>
  event("Pod", "FailedAttachVolume", `Multi-Attach error for volume "${volume}" Volume is already used by pod(s) web-0`);

const waitingFor = (reason: string) => ({
  name: "c",
  image: "i",
  imageID: "",
  ready: false,
  restartCount: 0,
  state: { waiting: { reason } },
});
const unmounted = "the kubelet on n1 has not reported that the pod's volumes are mounted yet";
const mounted = "nothing is waiting: the pod's volumes are bound and attached";

describe("a pod", () => {
  const observed = (parts: Partial<ObservedPod> = {}): ObservedPod => ({
    ref: { namespace: "default", name: "app" },
    now,
    notes: [],
    responsibleFor,
    events: [],
    pod: found(pod({ nodeName: "n1" })),
    claims: [observedClaim(bound(), { volume: found(volume()) })],
    attachments: [],
    unattached: [],
    ...parts,
  });
  const unscheduled = pod({}, { conditions: [{ type: "PodScheduled", status: "False", message: "no node fits" }] });
  const deleted = observedClaim(bound(), { volume: found(volume({}, { phase: "Bound" }, { deletionTimestamp: ago(1) })) });
  const noVolumes = "0/1 nodes are available: 1 node(s) didn't find available persistent volumes to bind.";
  const withoutVolume = pod({}, { conditions: [{ type: "PodScheduled", status: "False", message: noVolumes }] });
  const onlyInZones = { ...late, allowedTopologies: [{ matchLabelExpressions: [{ key: "zone", values: ["z1", "z2"] }] }] };
  const waitsForClass = observedClaim(claim(), { storageClass: missing });

  test.each<[string, ObservedPod, Explanation["state"], string]>([
    ["does not exist", observed({ pod: missing }), "failed", "does not exist"],
    ["waits for its mounts", observed(), "waiting", unmounted],
    [
      "waits for its mounts, as its containers do",
      observed({ pod: found(pod({ nodeName: "n1" }, { phase: "Pending", containerStatuses: [waitingFor("ContainerCreating")] })) }),
      "waiting",
      unmounted,
    ],
    ...["Pulling", "FailedCreatePodSandBox", "BackOff"].map((reason): [string, ObservedPod, "done", string] => [
      `has all its volumes, as ${reason} tells`,
      observed({ events: [event("Pod", reason, "")] }),
      "done",
      mounted,
    ]),
    ...[
      { containerStatuses: [waitingFor("ImagePullBackOff")] },
      { initContainerStatuses: [{ ...waitingFor(""), state: { running: {} } }], containerStatuses: [waitingFor("PodInitializing")] },
      { conditions: [{ type: "PodReadyToStartContainers", status: "True" }] },
    ].map((status): [string, ObservedPod, "done", string] => [
      `has all its volumes, as its ${Object.keys(status).join(" and ")} tell`,
      observed({
        pod: found(pod({ nodeName: "n1" }, { phase: "Pending", ...status })),
        unreadEvents: "needs list on events",
        unreadAttachments: "no",
      }),
      "done",
      mounted,
    ]),
    [
      "waits for its mounts, and its attachments may not be read",
      observed({ unreadAttachments: "needs list on volumeattachments.storage.k8s.io" }),
      "waiting",
      "whether the pod's volumes are attached to node n1 could not be read",
    ],
    ["uses no claims", observed({ claims: [] }), "done", "nothing is waiting: the pod uses no claims"],
    [
      "waits for a claim",
      observed({ claims: [waitsForClass] }),
      "failed",
      "PersistentVolumeClaim default/data: the claim names class fast, which does not exist",
    ],
    [
      "waits for an attachment",
      observed({ attachments: [observedAttachment(attachment(undefined))] }),
      "waiting",
      "VolumeAttachment va: the attacher has not reported anything yet",
    ],
    [
      "waits for somebody to ask for an attachment",
      observed({ unattached: [{ volume: "pv-1", elsewhere: [] }] }),
      "waiting",
      "volume pv-1 has to be attached to node n1, and there is no VolumeAttachment yet",
    ],
    [
      "waits for another node to let go",
      observed({ unattached: [{ volume: "pv-1", elsewhere: ["n2"] }] }),
      "waiting",
      "volume pv-1 has to be attached to node n1, and is still attached to n2",
    ],
    [
      "waits for another node to let go, as the attach-detach controller reports too",
      observed({ unattached: [{ volume: "pv-1", elsewhere: ["n2"] }], events: [multiAttach("pv-1")] }),
      "waiting",
      "volume pv-1 has to be attached to node n1, and is still attached to n2",
    ],
    [
      "waits for another node to let go, as only the attach-detach controller tells",
      observed({ events: [multiAttach("pv-1")] }),
      "failed",
      `attaching failed: ${multiAttach("pv-1").message}`,
    ],
    [
      "waits for one volume, and another one fails",
      observed({ unattached: [{ volume: "pv-1", elsewhere: [] }], events: [multiAttach("pv-2")] }),
      "failed",
      `attaching failed: ${multiAttach("pv-2").message}`,
    ],
    [
      "cannot mount",
      observed({ events: [event("Pod", "FailedMount", "MountVolume.SetUp failed: no such device")] }),
      "failed",
      "mounting failed: MountVolume.SetUp failed: no such device",
    ],
    [
      "could not mount once, and is past that",
      observed({ events: [event("Pod", "FailedMount", "old", 9), event("Pod", "Pulling", "Pulling image", 2)] }),
      "done",
      mounted,
    ],
    [
      "has not started, and its events may not be read",
      observed({ unreadEvents: "needs list on events in namespace default" }),
      "waiting",
      "the kubelet may have reported why the pod has not started, but its events could not be read",
    ],
    [
      "runs, and its events may not be read",
      observed({ pod: found(pod({ nodeName: "n1" }, { phase: "Running" })), unreadEvents: "needs list on events in namespace default" }),
      "done",
      mounted,
    ],
    [
      "names a claim that is not there",
      observed({ pod: found(pod({}, { phase: "Pending" })), claims: [observedClaim(undefined)] }),
      "failed",
      "PersistentVolumeClaim default/data: does not exist",
    ],
    [
      "could not mount once, and runs",
      observed({ pod: found(pod({ nodeName: "n1" }, { phase: "Running" })), events: [event("Pod", "FailedMount", "old")] }),
      "done",
      mounted,
    ],
    [
      "waits for a node in the topology of the class of its claim",
      observed({
        pod: found(withoutVolume),
        claims: [observedClaim(claim(), { storageClass: found(onlyInZones), pods: found([withoutVolume]) })],
      }),
      "waiting",
      "the pod cannot be scheduled: class fast allows volumes only on nodes where zone is z1 or z2",
    ],
    ["waits for a node", observed({ pod: found(unscheduled) }), "waiting", "the pod cannot be scheduled: no node fits"],
    [
      "waits for a node, as events alone tell",
      observed({ pod: found(pod({})), claims: [], events: [event("Pod", "FailedScheduling", "0/2 nodes are available")] }),
      "waiting",
      "the pod cannot be scheduled: 0/2 nodes are available",
    ],
    [
      "is held by its scheduling gates",
      observed({ pod: found(pod({}, { conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }] })) }),
      "waiting",
      "the pod is held by its scheduling gates",
    ],
    [
      "waits for a node, and its volume has another problem",
      observed({ pod: found(unscheduled), claims: [deleted] }),
      "waiting",
      "the pod cannot be scheduled: no node fits",
    ],
    [
      "runs, and its volume has a problem",
      observed({ pod: found(pod({ nodeName: "n1" }, { phase: "Running" })), claims: [deleted] }),
      "waiting",
      "PersistentVolumeClaim default/data: volume pv-1 is being deleted, and is removed together with the claim",
    ],
    [
      "has not been seen by a scheduler",
      observed({ pod: found(pod({})) }),
      "waiting",
      "the scheduler has not selected a node for the pod yet",
    ],
    [
      "ended without a node",
      observed({ pod: found(pod({}, { phase: "Failed" })), claims: [] }),
      "done",
      "nothing is waiting: the pod uses no claims",
    ],
  ])("%s", (_, given, state, summary) => {
    const answer = explainPod(given);
    expect([answer.state, answer.summary]).toEqual([state, summary]);
  });

  test("a long message of the scheduler is shown once, however many claims wait for it", () => {
    const message =
      "0/3 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 2 Insufficient memory. " +
      "preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.";
    const conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }];
    const waiting = pod({}, { phase: "Pending", conditions });
    const claims = [1, 2, 3, 4].map(() => observedClaim(claim(), { storageClass: found(late), pods: found([waiting]) }));
    const answer = explainPod(observed({ pod: found(waiting), claims }));
    expect(answer.summary).toBe("the pod cannot be scheduled: nodes are full; nodes have taints that the pod does not tolerate");
    expect(renderText(answer, now).split("preemption:")).toHaveLength(2);
  });

  test("since when it waits for its mounts, and where to look", () => {
    const conditions = [{ type: "PodScheduled", status: "True", lastTransitionTime: ago(7) }];
    const { steps } = explainPod(observed({ pod: found(pod({ nodeName: "n1" }, { phase: "Pending", conditions })) }));
    expect(steps.at(-1)).toEqual({
      state: "waiting",
      what: unmounted,
      evidence: [{ object: "Pod default/app", field: "spec.nodeName", value: "n1", since: ago(7) }],
      remedy: "if it stays so, check the log of the driver's node pod on n1, and that of the kubelet there",
    });
  });

  test("what to do about a claim that is not there", () => {
    const { steps } = explainPod(observed({ pod: found(pod({}, { phase: "Pending" })), claims: [observedClaim(undefined)] }));
    expect(steps[0]?.remedy).toBe("create claim default/data, or name another one in the volumes of the pod");
    const ephemeral = pod({ volumes: [{ name: "v", ephemeral: { volumeClaimTemplate: { spec: {} } } }] });
    const own = observedClaim(undefined, { ref: { namespace: "default", name: "app-v" } });
    expect(explainPod(observed({ pod: found(ephemeral), claims: [own] })).steps[0]?.remedy).toBe(
      "kube-controller-manager creates it for the pod: check that it runs, and the events of the pod",
    );
  });
});
