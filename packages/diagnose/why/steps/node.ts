import { refKey, type V1Node } from "@csi-sidecars/kube";
import { foundIn } from "../../access/read-cluster.ts";
import { listed, plain } from "../../text.ts";
import { type Evidence, type Explanation, explanation, notFound, type Step, step } from "../explanation.ts";
import type { ObservedNodeVolumes } from "../gather/observed.ts";
import { unreadStep } from "./unread-step.ts";

/** What keeps the volumes of a node: it is not ready, is gone, or has no driver for them. */
export function explainNode(observed: ObservedNodeVolumes): Explanation {
  const { ref, notes } = observed;
  const subject = `Node ${refKey(ref)}`;
  const attachments = foundIn(observed.attachments) ?? [];
  const node = foundIn(observed.node);
  if (!node && (observed.node.state === "unreadable" || attachments.length === 0)) return notFound(subject, observed.node, notes);
  const steps = node ? [readyStep(node, attachments.length), ...unreadSteps(observed), ...driverSteps(observed)] : [goneStep(observed)];
  return explanation(
    subject,
    steps,
    notes,
    `nothing is waiting: the node is ready, and has the drivers of its ${volumesOf(attachments.length)}`,
  );
}

const volumesOf = (count: number) => (count === 1 ? "1 attached volume" : `${count} attached volumes`);

function readyStep({ metadata, status }: V1Node, count: number): Step {
  const object = `Node ${metadata?.name}`;
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  if (ready?.status === "True") return step("done", "the node is ready");
  const evidence: Evidence = {
    object,
    field: "status.conditions[Ready]",
    value: plain(ready?.message || ready?.reason || ready?.status || "not set"),
    ...(ready?.lastTransitionTime && { since: ready.lastTransitionTime }),
  };
  return step(
    "failed",
    `the node is not ready${count === 0 ? "" : `: ${volumesOf(count)} cannot be mounted, or be detached in time`}`,
    [evidence],
    "check the kubelet and the machine; if it is shut down for good, take it out of service (taint node.kubernetes.io/out-of-service) or delete it",
  );
}

function goneStep({ ref, attachments }: ObservedNodeVolumes): Step {
  const objects = foundIn(attachments) ?? [];
  return step(
    "failed",
    `the node does not exist any more, and ${volumesOf(objects.length)} ${objects.length === 1 ? "is" : "are"} still to be detached from it`,
    objects.slice(0, 3).map((each) => ({ object: `VolumeAttachment ${each.metadata?.name}`, field: "spec.nodeName", value: ref.name })),
    `see csi-sidecars why volumeattachment ${objects[0]?.metadata?.name}`,
  );
}

/** What has to be known of a node to call it well. */
function unreadSteps({ ref, csiNode, attachments }: ObservedNodeVolumes): readonly Step[] {
  const object = `Node ${ref.name}`;
  if (attachments.state === "unreadable") {
    const what = "which volumes are attached to the node, and whether it has their drivers, could not be read";
    return [unreadStep(attachments.because ?? "", what, object, "VolumeAttachments")];
  }
  const count = foundIn(attachments)?.length ?? 0;
  if (csiNode.state !== "unreadable" || count === 0) return [];
  return [
    unreadStep(csiNode.because ?? "", `whether the node has the drivers of its ${volumesOf(count)} could not be read`, object, "CSINodes"),
  ];
}

/** Drivers that have volumes on the node, and have not registered there. */
function driverSteps({ ref, csiNode: lookup, attachments }: ObservedNodeVolumes): readonly Step[] {
  const csiNode = foundIn(lookup);
  if (lookup.state === "unreadable") return [];
  const registered = (csiNode?.spec.drivers ?? []).map(({ name }) => name);
  const used = Map.groupBy(foundIn(attachments) ?? [], ({ spec }) => spec.attacher);
  return [...used].map(([driver, own]): Step => {
    if (registered.includes(driver)) return step("done", `driver ${driver} is registered: it has ${volumesOf(own.length)}`);
    return step(
      "failed",
      `driver ${driver} is not registered on the node, and has ${volumesOf(own.length)} there`,
      [
        lookup.state === "missing"
          ? { object: `CSINode ${ref.name}`, field: "metadata.name", value: "not found" }
          : { object: `CSINode ${ref.name}`, field: "spec.drivers", value: listed(registered) || "none" },
      ],
      `check that the driver's node pod runs on ${ref.name} and its registrar succeeded`,
    );
  });
}
