import { describe, expect, test } from "bun:test";
import { components } from "../../cmd/csi-sidecars/components.ts";
import { messages } from "../../components/resizer/messages.ts";
import { found, missing } from "../../packages/diagnose/access/read-cluster.ts";
import type { ObservedClaim } from "../../packages/diagnose/why/gather/observed.ts";
import { responsibleAmong } from "../../packages/diagnose/why/responsible-sidecar.ts";
import { explainClaim } from "../../packages/diagnose/why/steps/claim.ts";
import { ago, bound, driver, event, installed, observedClaim, pod, volume } from "../../packages/diagnose/why/testing/objects.ts";

type Status = Parameters<typeof bound>[1];
type Row = readonly [what: string, observed: ObservedClaim, state: string, summary: string, remedy?: string];

const responsibleFor = responsibleAmong(components);
const rpc = (code: string, text = "because") => `rpc error: code = ${code} desc = ${text}`;
const condition = (type: string, message = "", more: object = {}) => ({
  type,
  status: "True",
  message,
  lastTransitionTime: ago(30),
  ...more,
});
const observed = (spec: Parameters<typeof bound>[0], status: Status, more: Partial<ObservedClaim>) =>
  observedClaim(bound(spec, status), { responsibleFor, volume: found(volume()), pods: found([]), ...more });
const larger = { resources: { requests: { storage: "5Gi" } } };

/** A claim that shall grow from 1Gi to 5Gi. */
const grows = (status: Status = {}, more: Partial<ObservedClaim> = {}) => observed(larger, status, more);
const resized = (text: string, minutes = 1) =>
  event("PersistentVolumeClaim", "VolumeResizeFailed", text, minutes, `external-resizer ${driver}`);
const modified = (text: string, minutes = 1) =>
  event("PersistentVolumeClaim", "VolumeModifyFailed", text, minutes, `external-resizer ${driver}`);
const resizing = { allocatedResources: { storage: "5Gi" }, conditions: [condition("Resizing")] };
const inProgress: Status = { ...resizing, allocatedResourceStatuses: { storage: "ControllerResizeInProgress" } };
const infeasible: Status = {
  allocatedResourceStatuses: { storage: "ControllerResizeInfeasible" },
  conditions: [condition("Resizing"), condition("ControllerResizeError", messages.expandFailed(rpc("OutOfRange")))],
};

/** A claim that shall change from no class to gold. */
const changes = (status: Status = {}, more: Partial<ObservedClaim> = {}, spec: Parameters<typeof bound>[0] = {}) =>
  observed({ volumeAttributesClassName: "gold", ...spec }, status, { attributesClass: found({ driverName: driver }), ...more });
const modifying = (
  status: "Pending" | "InProgress" | "Infeasible",
  target = "gold",
  conditions: NonNullable<Status>["conditions"] = [],
) => ({
  modifyVolumeStatus: { status, targetVolumeAttributesClassName: target },
  conditions,
});

function check([, given, state, summary, remedy]: Row) {
  const answer = explainClaim(given);
  expect([answer.state, answer.summary]).toEqual([state as typeof answer.state, summary]);
  if (remedy !== undefined) expect(answer.steps.find(({ what }) => what === summary)?.remedy).toContain(remedy);
  return answer;
}

describe("why a claim does not grow", () => {
  const inUse =
    "the volume could not be expanded: Unable to expand default/data because CSI driver csi.example.com only supports offline expansion and volume is currently in-use";
  const users = found([pod({ nodeName: "n1" }, { phase: "Running" })]);
  const rows: readonly Row[] = [
    ["nobody has started", grows(), "waiting", "no resizer has started to expand the volume", "runs with the resizer"],
    ["the driver works", grows(inProgress), "waiting", "the driver is expanding the volume", "check the driver's log"],
    [
      "the driver does not answer",
      grows(inProgress, { events: [resized(messages.resizeFailed("pv-1", driver, rpc("DeadlineExceeded")))] }),
      "failed",
      "the volume could not be expanded: the driver did not answer in time; it may still be working, and the call is retried (DeadlineExceeded)",
      "raise --timeout",
    ],
    [
      "the driver refuses while pods use the volume",
      grows(inProgress, { events: [resized(messages.resizeFailed("pv-1", driver, rpc("FailedPrecondition")))], pods: users }),
      "failed",
      "the volume could not be expanded: the volume cannot be expanded while it is in use (FailedPrecondition)",
      "stop the pods that use the claim until the volume is expanded; they are pod default/app on n1",
    ],
    [
      "the resizer waits for pods",
      grows(inProgress, { events: [resized(messages.inUse("default/data", driver))], pods: users }),
      "failed",
      inUse,
      "stop the pods that use the claim until the volume is expanded; they are pod default/app on n1",
    ],
    [
      "a secret is missing",
      grows(inProgress, { events: [resized(messages.resizeFailed("pv-1", driver, messages.secretUnreadable("s", "n", "not found")))] }),
      "failed",
      'the volume could not be expanded: resize volume "pv-1" by resizer "csi.example.com" failed: error getting secret s in namespace n: not found',
      "create that secret",
    ],
    [
      "the driver answers nonsense",
      grows(inProgress, { events: [resized(messages.resizeFailed("pv-1", driver, messages.answeredTooLittle(1n, 2n)))] }),
      "failed",
      'the volume could not be expanded: resize volume "pv-1" by resizer "csi.example.com" failed: the driver answered with a capacity of 1 bytes, less than the requested 2 bytes',
      "the driver's answer is wrong",
    ],
    [
      "the size is infeasible: by the event, three minutes are left",
      grows(infeasible, { events: [resized(messages.resizeFailed("pv-1", driver, rpc("OutOfRange")), 2)] }),
      "failed",
      "the storage cannot provide this size: the storage does not offer the requested size (OutOfRange)",
      "above 1Gi: that is tried at once; this one is tried again in about 3m",
    ],
    [
      "the size is infeasible, with another interval",
      grows(infeasible, { infeasibleRetryMs: 3_600_000 }),
      "failed",
      "the storage cannot provide this size: the storage does not offer the requested size (OutOfRange)",
      "this one is tried again in about 30m",
    ],
    [
      "the size is infeasible, and nothing tells when it was refused last",
      grows(infeasible),
      "failed",
      "the storage cannot provide this size: the storage does not offer the requested size (OutOfRange)",
      "this one is tried again every 5m or so",
    ],
    [
      "the node works",
      grows({ allocatedResourceStatuses: { storage: "NodeResizeInProgress" } }, { pods: users }),
      "waiting",
      "the kubelet is expanding the file system for pod default/app on n1",
    ],
    [
      "the node waits for a pod that starts",
      grows(
        {
          allocatedResourceStatuses: { storage: "NodeResizePending" },
          conditions: [condition("FileSystemResizePending", messages.waitingForNode())],
        },
        { pods: users },
      ),
      "waiting",
      "the kubelet has to expand the file system for pod default/app on n1",
      "then restart the pod",
    ],
    [
      "the driver can do neither",
      grows({}, { driver: installed({ answer: { reached: true, name: driver, ready: true, capabilities: [], nodeCapabilities: [] } }) }),
      "failed",
      `driver ${driver} does not support this: it lacks the capability EXPAND_VOLUME`,
    ],
    [
      "the driver expands on nodes",
      grows(
        {},
        {
          driver: installed({
            answer: { reached: true, name: driver, ready: true, capabilities: [], nodeCapabilities: ["EXPAND_VOLUME"] },
          }),
        },
      ),
      "waiting",
      "no resizer has started to expand the volume",
    ],
  ];
  for (const row of rows) test(row[0], () => void check(row));

  test("the request was lowered while the driver may still be at work", () => {
    const given = grows({ ...inProgress, allocatedResources: { storage: "10Gi" } }, { events: [resized(rpc("Aborted"))] });
    const { steps } = explainClaim(given);
    expect(steps.find(({ what }) => what.includes("instead of"))).toMatchObject({
      state: "not yet",
      what: "the volume is expanded to 5Gi instead of 10Gi, once the driver has given that up: it may still be working on it",
    });
  });
});

describe("why a volume is not modified", () => {
  const failed = "the volume could not be modified to VolumeAttributesClass";
  const rows: readonly Row[] = [
    ["nobody has started", changes(), "waiting", "no resizer has started to modify the volume to VolumeAttributesClass gold"],
    [
      "the class is missing",
      changes(modifying("Pending", ""), { attributesClass: missing, events: [modified(messages.classMissing("gold"))] }),
      "failed",
      "the claim names VolumeAttributesClass gold, which does not exist",
      "create it",
    ],
    [
      "the class is another driver's",
      changes(modifying("Pending", ""), {
        attributesClass: found({ driverName: "other.example.com" }),
        events: [modified(messages.classOfOtherDriver("gold", "other.example.com", driver))],
      }),
      "failed",
      `VolumeAttributesClass gold is one of driver other.example.com, the volume is one of driver ${driver}`,
      "own driver",
    ],
    [
      "the driver refuses it: by the condition, four minutes are left",
      changes(
        modifying("Infeasible", "gold", [
          condition("ModifyVolumeError", "no such tier", { reason: "InvalidArgument", lastProbeTime: ago(1) }),
        ]),
      ),
      "failed",
      `${failed} gold: the driver rejects the parameters of the VolumeAttributesClass (InvalidArgument)`,
      "another class in spec.volumeAttributesClassName; this one is tried again in about 4m",
    ],
    [
      "the outcome is uncertain",
      changes(modifying("InProgress"), { events: [modified(`${rpc("DeadlineExceeded")}. Still modifying to VAC gold`)] }),
      "failed",
      `${failed} gold: the driver did not answer in time; it may still be working, and the call is retried (DeadlineExceeded)`,
    ],
    [
      "the class before it has disappeared under way",
      changes(modifying("InProgress", "silver"), { attributesClass: missing }),
      "failed",
      "the driver may still be modifying the volume to VolumeAttributesClass silver, which does not exist any more",
      "create it again",
    ],
    [
      "the claim names no class any more",
      changes(modifying("InProgress", "silver"), {}, { volumeAttributesClassName: "" }),
      "waiting",
      "the driver is modifying the volume to VolumeAttributesClass silver",
    ],
    [
      "a secret is missing",
      changes(modifying("InProgress"), { events: [modified(messages.secretUnreadable("s", "n", "not found"))] }),
      "failed",
      `${failed} gold: error getting secret s in namespace n: not found`,
      "create that secret",
    ],
  ];
  for (const row of rows) test(row[0], () => void check(row));

  test("the user chose another class while the driver may still be at work", () => {
    const { summary, steps } = explainClaim(changes(modifying("InProgress", "silver")));
    expect(summary).toBe("the driver is modifying the volume to VolumeAttributesClass silver");
    expect(steps.at(-1)).toMatchObject({ state: "not yet", what: "the volume is modified to VolumeAttributesClass gold" });
  });
});

test("a volume that is expanded and modified at once: both are explained, and what both need once", () => {
  const given = changes(
    { ...modifying("InProgress"), ...inProgress },
    { events: [resized(messages.inUse("default/data", driver))] },
    larger,
  );
  const { summary, steps } = explainClaim(given);
  expect(summary).toContain("only supports offline expansion");
  const said = steps.map(({ what }) => what);
  expect(said.filter((what) => what.includes("the resizer of driver"))).toHaveLength(1);
  expect(said).toContain("the driver is modifying the volume to VolumeAttributesClass gold");
});
