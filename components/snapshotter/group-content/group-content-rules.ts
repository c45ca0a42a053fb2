import { groupSnapshotAnnotation } from "@csi-sidecars/kube";
import { type ContentRules, isChangedByOthers } from "../content-handlers.ts";
import type { GroupContent } from "../fields.ts";
import { classOf, type GroupContentContext } from "./group-content-context.ts";
import { isOurs, planGroupContent } from "./plan-group-content.ts";

/** What the events of VolumeGroupSnapshotContents mean. */
export function groupContentRules(c: GroupContentContext): ContentRules<GroupContent> {
  return {
    classOf: (content) => classOf(c, content),
    isOurs: (content, groupClass) => isOurs(content, c.driver.name, groupClass),
    isDue: (content) => planGroupContent(content).step !== "none",
    mayMatter: (old, content) => isChangedByOthers(old, content, groupSnapshotAnnotation.beingCreated),
  };
}
