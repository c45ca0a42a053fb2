import { snapshotAnnotation } from "@csi-sidecars/kube";
import { type ContentRules, isChangedByOthers } from "../content-handlers.ts";
import type { Content } from "../fields.ts";
import { type ContentContext, classOf } from "./content-context.ts";
import { isOurs, planContent } from "./plan-content.ts";

/** What the events of VolumeSnapshotContents mean. */
export function contentRules(c: ContentContext): ContentRules<Content> {
  return {
    classOf: (content) => classOf(c, content),
    isOurs: (content, snapshotClass) => isOurs(content, c.driver.name, snapshotClass),
    isDue: (content) => planContent(content).step !== "none",
    mayMatter,
  };
}

/** Whether a change that somebody else made may ask for something: also a handle that the snapshot-controller writes into a member of a group. */
export function mayMatter(old: Content, content: Content): boolean {
  const gotHandle = (["snapshotHandle", "volumeGroupSnapshotHandle"] as const).some(
    (field) => old.status?.[field] === undefined && content.status?.[field] !== undefined,
  );
  return gotHandle || isChangedByOthers(old, content, snapshotAnnotation.beingCreated);
}
