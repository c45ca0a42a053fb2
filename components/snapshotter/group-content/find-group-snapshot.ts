import { messageOf } from "@csi-sidecars/base";
import { type Credentials, classCredentials, groupSnapshotSecrets } from "../credentials.ts";
import type { GroupContent } from "../fields.ts";
import { classOf, type GroupContentContext } from "./group-content-context.ts";
import { groupMessages } from "./group-messages.ts";
import { checkedGroup } from "./plan-group-content.ts";
import { foundGroup, type TakenGroup } from "./taken-group.ts";

/** Asks whether the group snapshot is ready that an administrator has named. Throws in upstream's words. */
export async function findGroupSnapshot(c: GroupContentContext, content: GroupContent, signal: AbortSignal): Promise<TakenGroup> {
  const { csi, timeoutMs, log } = c;
  const { name } = content.metadata;
  const secrets = await credentials(c, content, signal);
  const { groupSnapshotId, snapshotIds } = checkedGroup(content);
  if (snapshotIds.length === 0) throw new Error(groupMessages.nothingToCheck(name));
  const answer = await csi.groupController
    .getVolumeGroupSnapshot({ groupSnapshotId, snapshotIds, secrets }, { timeoutMs, signal, log })
    .catch((error: unknown) => {
      throw new Error(groupMessages.getFailed(name, messageOf(error)), { cause: error });
    });
  const group = foundGroup(groupSnapshotId, answer);
  if (group.error !== undefined) throw new Error(groupMessages.getFailed(name, group.error));
  return group.value;
}

/** Those of the class, where the content names one. */
async function credentials(c: GroupContentContext, content: GroupContent, signal: AbortSignal): Promise<Credentials> {
  const className = content.spec?.volumeGroupSnapshotClassName;
  if (className === undefined) return {};
  const { name } = content.metadata;
  c.waiting.add(name, className);
  const groupClass = classOf(c, content);
  if (!groupClass) throw new Error(groupMessages.classUnavailable(className, name, groupMessages.classMissing(className)));
  const found = await classCredentials(c, groupSnapshotSecrets, content, groupClass.parameters ?? {}, signal);
  c.waiting.delete(name);
  return found;
}
