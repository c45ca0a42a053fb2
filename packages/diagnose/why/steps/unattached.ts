import { keyOf, type V1Event, type V1Pod } from "@csi-sidecars/kube";
import { listed, plain } from "../../text.ts";
import { eventEvidence, newest } from "../events.ts";
import { type Step, step } from "../explanation.ts";
import type { UnattachedVolume } from "../gather/observed.ts";

export const ifNodeIsDead = "if that node is dead, take it out of service (taint node.kubernetes.io/out-of-service) or delete it";

/** What a volume waits for that is to be attached to a node, and for which there is no VolumeAttachment. */
export function unattachedStep({ volume, elsewhere, users }: UnattachedVolume, node: string, events: readonly V1Event[]): Step {
  const object = `PersistentVolume ${volume}`;
  const wanted = `volume ${volume} has to be attached to node ${node}`;
  if (elsewhere.length === 0) {
    return step(
      "waiting",
      `${wanted}, and there is no VolumeAttachment yet`,
      [{ object, field: "VolumeAttachment", value: "none" }],
      "if it stays so, check that kube-controller-manager runs",
    );
  }
  const reported = newest(events, "FailedAttachVolume");
  const evidence = [
    { object, field: "VolumeAttachment", value: elsewhere.join(", ") },
    ...(reported && isAbout(reported, volume) ? [eventEvidence(reported)] : []),
  ];
  const still = `${wanted}, and is still attached to ${listed(elsewhere)}`;
  if (users === undefined) return step("waiting", still, evidence, `stop the pod that uses it there; ${ifNodeIsDead}`);
  if (users.length === 0) {
    return step(
      "waiting",
      `${still}, where no pod uses it any more`,
      evidence,
      `it is detached when the node has unmounted it; ${ifNodeIsDead}`,
    );
  }
  const staying = users.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
  if (staying.length === 0)
    return step("waiting", `${still}, where ${ending(users)}`, evidence, `wait until it has ended; ${ifNodeIsDead}`);
  return step(
    "failed",
    `${still}, where ${listed(staying.map(named))} ${staying.length === 1 ? "uses" : "use"} it`,
    evidence,
    `stop ${staying.length === 1 ? "that pod" : "those pods"}, or let the pods run on one node: the volume can be attached to one at a time; ${ifNodeIsDead}`,
  );
}

/** Whether a report about a pod names the volume. */
export const isAbout = ({ message = "" }: V1Event, volume: string) => plain(message).includes(`volume "${volume}"`);

const named = (pod: V1Pod) => `pod ${keyOf(pod)}`;

const ending = (pods: readonly V1Pod[]) => `${listed(pods.map(named))} ${pods.length === 1 ? "is" : "are"} being deleted`;
