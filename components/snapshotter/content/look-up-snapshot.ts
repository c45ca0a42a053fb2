import { messageOf } from "@csi-sidecars/base";
import type { Snapshot } from "@csi-sidecars/csi";
import { annotatedCredentials, type Credentials, classCredentials, snapshotSecrets } from "../credentials.ts";
import type { Content } from "../fields.ts";
import { messages } from "../messages.ts";
import { type ContentContext, classOf } from "./content-context.ts";
import { failed, type Outcome } from "./create-snapshot.ts";
import { assumedSnapshot, takenSnapshot } from "./taken-snapshot.ts";

/** Asks for a snapshot that an administrator has named, or that was taken with a group: nothing is created, so there is no mark. */
export async function lookUpSnapshot(c: ContentContext, content: Content, snapshotId: string, signal: AbortSignal): Promise<Outcome> {
  const { name } = content.metadata;
  let secrets: Credentials;
  try {
    secrets = await lookUpCredentials(c, content, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    return failed(messageOf(error));
  }
  const now = c.clock.now();
  if (!c.driver.getsSnapshots && !c.driver.listsSnapshots) return { kind: "answered", snapshot: assumedSnapshot(snapshotId, now) };
  try {
    const taken = takenSnapshot(await find(c, snapshotId, secrets, signal), snapshotId, now);
    if (taken.error === undefined) return { kind: "answered", snapshot: taken.value };
    return failed(messages.lookUpFailed(name, taken.error));
  } catch (error) {
    if (signal.aborted) throw error;
    return failed(messages.lookUpFailed(name, messageOf(error)));
  }
}

/** The secret that the class names for this; of a member of a group the one for deleting it. Throws in upstream's words. */
async function lookUpCredentials(c: ContentContext, content: Content, signal: AbortSignal): Promise<Credentials> {
  const { name } = content.metadata;
  const className = content.spec?.volumeSnapshotClassName;
  let secrets: Credentials = {};
  if (className) {
    c.waiting.add(name, className);
    const snapshotClass = classOf(c, content);
    if (!snapshotClass) throw new Error(messages.classUnavailable(className, name, messages.classMissing(className)));
    secrets = await classCredentials(c, snapshotSecrets, content, snapshotClass.parameters ?? {}, signal);
    c.waiting.delete(name);
  }
  if (content.status?.volumeGroupSnapshotHandle === undefined) return secrets;
  return annotatedCredentials(c, snapshotSecrets, content, signal).catch((error: unknown) => {
    throw new Error(messages.annotatedCredentialsUnread(name, messageOf(error)), { cause: error });
  });
}

/** The snapshot of this id: with GetSnapshot where the driver has it, else in as many pages of ListSnapshots as it takes. */
async function find(c: ContentContext, snapshotId: string, secrets: Credentials, signal: AbortSignal): Promise<Snapshot | undefined> {
  const { controller } = c.csi;
  const deadline = c.clock.monotonic() + c.timeoutMs;
  const options = () => ({ timeoutMs: Math.max(1, deadline - c.clock.monotonic()), signal, log: c.log });
  if (c.driver.getsSnapshots) return (await controller.getSnapshot({ snapshotId, secrets }, options())).snapshot;
  const seenTokens = new Set<string>();
  for (let startingToken = ""; ; ) {
    const request = { snapshotId, secrets, startingToken, maxEntries: 0, sourceVolumeId: "" };
    const { entries, nextToken } = await controller.listSnapshots(request, options());
    const found = entries.find(({ snapshot }) => snapshot?.snapshotId === snapshotId);
    if (found) return found.snapshot;
    if (nextToken === "" || seenTokens.has(nextToken)) throw new Error(messages.snapshotNotFound(snapshotId));
    seenTokens.add(nextToken);
    startingToken = nextToken;
  }
}
