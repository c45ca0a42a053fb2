import type { Explanation } from "./explanation.ts";
import { gatherClaim } from "./gather/claim.ts";
import type { GatherContext } from "./gather/context.ts";
import { gatherNodeVolumes } from "./gather/node.ts";
import { gatherPod } from "./gather/pod.ts";
import { gatherSnapshot } from "./gather/snapshot.ts";
import { gatherContent } from "./gather/snapshot-content.ts";
import { gatherAttachment, gatherVolume } from "./gather/volume.ts";
import type { ObjectArgument } from "./object-argument.ts";
import { groupSnapshots, singleSnapshots } from "./snapshot-kinds.ts";
import { explainAttachment } from "./steps/attachment.ts";
import { explainClaim } from "./steps/claim.ts";
import { explainNode } from "./steps/node.ts";
import { explainPod } from "./steps/pod.ts";
import { explainSnapshot } from "./steps/snapshot.ts";
import { explainContent } from "./steps/snapshot-content.ts";
import { explainVolume } from "./steps/volume.ts";

/** Reads the object and what it depends on, and says which step waits for what. The steps are a pure function of what was read. */
export async function explain(context: GatherContext, { kind, ref }: ObjectArgument): Promise<Explanation> {
  switch (kind) {
    case "claim":
      return explainClaim(await gatherClaim(context, ref));
    case "volume":
      return explainVolume(await gatherVolume(context, ref));
    case "attachment":
      return explainAttachment(await gatherAttachment(context, ref));
    case "pod":
      return explainPod(await gatherPod(context, ref));
    case "node":
      return explainNode(await gatherNodeVolumes(context, ref));
    case "snapshot":
      return explainSnapshot(await gatherSnapshot(context, singleSnapshots, ref));
    case "content":
      return explainContent(await gatherContent(context, singleSnapshots, ref));
    case "group snapshot":
      return explainSnapshot(await gatherSnapshot(context, groupSnapshots, ref));
    case "group content":
      return explainContent(await gatherContent(context, groupSnapshots, ref));
  }
}
