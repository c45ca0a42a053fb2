import { fields, VolumeAttachment } from "@csi-sidecars/kube";
import { type Following, follow } from "../shared/follow.ts";
import type { World } from "../shared/world.ts";

/** How many attachments there are, and how many of them are attached. */
export interface Counts {
  readonly present: number;
  readonly attached: number;
}

const attachmentFields = fields(VolumeAttachment, { status: { attached: true } });

/** Follows attachments as they change. */
export function followAttachments({ admin }: World): Promise<Following<Counts>> {
  return follow(admin, (factory, countOf) => {
    const view = factory.forFields(attachmentFields);
    const present = countOf(view, () => true);
    const attached = countOf(view, ({ status }) => status?.attached === true);
    return () => ({ present: present(), attached: attached() });
  });
}
