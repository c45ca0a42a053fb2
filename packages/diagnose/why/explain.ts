import { explainAttachment } from "./explain-attachment.ts";
import { explainClaim } from "./explain-claim.ts";
import { explainPod } from "./explain-pod.ts";
import { explainVolume } from "./explain-volume.ts";
import type { Explanation } from "./explanation.ts";
import type { Facts } from "./facts.ts";

/** Says which step waits for what. Pure: the same facts always give the same answer. */
export function explain(facts: Facts): Explanation {
  switch (facts.kind) {
    case "claim":
      return explainClaim(facts);
    case "volume":
      return explainVolume(facts);
    case "attachment":
      return explainAttachment(facts);
    case "pod":
      return explainPod(facts);
  }
}
