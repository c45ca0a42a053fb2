import type { Clock } from "@csi-sidecars/base";
import { Event, type ObjectRef, type V1Event } from "@csi-sidecars/kube";
import { lastSeen } from "./events.ts";
import type { DriverAnswer, Facts } from "./facts.ts";
import { gatherAttachment } from "./gather-attachment.ts";
import { gatherClaim } from "./gather-claim.ts";
import { gatherPod } from "./gather-pod.ts";
import { gatherVolume } from "./gather-volume.ts";
import { type Looker, valueIn } from "./look.ts";

/** What can be asked about. */
export type Subject = Facts["kind"];

export interface GatherContext {
  readonly look: Looker;
  readonly clock: Pick<Clock, "now">;
  /** The driver, where one was asked. */
  readonly driver?: DriverAnswer;
  /** `--leader-election-lease-name`, where the sidecars have one. */
  readonly leaseName?: string;
}

/** Looks at the object and at what it depends on, and at nothing else. */
export function gather(context: GatherContext, kind: Subject, ref: ObjectRef): Promise<Facts> {
  switch (kind) {
    case "claim":
      return gatherClaim(context, ref);
    case "volume":
      return gatherVolume(context, ref);
    case "attachment":
      return gatherAttachment(context, ref);
    case "pod":
      return gatherPod(context, ref);
  }
}

/** The events about an object, oldest first. Those about objects without namespace are in `default`. */
export async function eventsAbout(look: Looker, uid: string | undefined, namespace = "default"): Promise<readonly V1Event[]> {
  if (uid === undefined) return [];
  const events = valueIn(await look.list(Event, { namespace, fieldSelector: `involvedObject.uid=${uid}` })) ?? [];
  return [...events].sort((a, b) => lastSeen(a) - lastSeen(b));
}
