import { keyOf, type V1Node, type V1Pod, type V1VolumeSnapshot } from "@csi-sidecars/kube";
import { foundIn, type Lookup } from "../../access/read-cluster.ts";
import { age, listed, plain } from "../../text.ts";
import { type ConditionEvent, lastConditions } from "../condition-events.ts";
import { eventEvidence, lastSeen } from "../events.ts";
import { type Evidence, type Step, step } from "../explanation.ts";
import type { ObservedConditions } from "../gather/observed.ts";
import type { ReportOn } from "../responsible-sidecar.ts";

interface Observed {
  readonly conditions?: ObservedConditions;
  readonly reportOn: ReportOn;
  readonly now: number;
}

/** What is wrong with a volume that nobody waits for: its driver says that it is abnormal, or pods use it on a node that has failed. */
export function conditionSteps({ conditions, reportOn, now }: Observed): readonly Step[] {
  if (!conditions) return [];
  const { events } = conditions;
  return [
    ...lastConditions("volumeHealth", events, reportOn).map((last) => healthStep(last, conditions.snapshots, now)),
    ...lastConditions("nodeHealth", events, reportOn).flatMap((last) => nodeStep(last, conditions)),
  ];
}

function healthStep(last: ConditionEvent, snapshots: ObservedConditions["snapshots"], now: number): Step {
  const { event, declared } = last;
  if (declared.state === "normal") return step("done", declared.meaning, [evidenceOf(last)]);
  const message = plain(event.message ?? "");
  const remedies = [declared.remedy, newestSnapshot(snapshots, now), silence(last, now)];
  return step(
    "failed",
    message ? `${declared.meaning}: ${message}` : `${declared.meaning}, without saying why`,
    [evidenceOf(last)],
    remedies.filter((each) => each !== undefined).join("; "),
  );
}

function evidenceOf({ event, since }: ConditionEvent): Evidence {
  return { ...eventEvidence(event), ...(since !== undefined && { since }) };
}

function newestSnapshot(lookup: Lookup<readonly V1VolumeSnapshot[]> | undefined, now: number): string | undefined {
  const snapshots = foundIn(lookup);
  if (!snapshots) return undefined;
  const takenAt = ({ metadata, status }: V1VolumeSnapshot) => status?.creationTime ?? metadata?.creationTimestamp;
  const [newest] = snapshots.toSorted((a, b) => Date.parse(takenAt(b) ?? "") - Date.parse(takenAt(a) ?? ""));
  if (!newest) return "no snapshot of the claim is ready to be restored";
  const taken = age(now, takenAt(newest));
  return `the newest snapshot that can be restored is ${keyOf(newest)}${taken ? `, taken ${taken} ago` : ""}`;
}

/** An abnormal volume is reported again each time that it is checked: every 5 minutes by default. */
const expectedWithinMs = 15 * 60_000;

function silence({ event }: ConditionEvent, now: number): string | undefined {
  const last = lastSeen(event);
  if (now - last < expectedWithinMs) return undefined;
  const ago = age(now, new Date(last).toISOString());
  return `this was last reported ${ago} ago: check that the driver's health-monitor still runs`;
}

/** A node that is ready again, or that no pod with the claim is left on, is none of the claim's trouble any more. */
function nodeStep(last: ConditionEvent, { nodes = [], pods: lookup }: ObservedConditions): readonly Step[] {
  const { declared, subject } = last;
  const pods = foundIn(lookup)?.filter(({ spec }) => spec?.nodeName === subject);
  const node = nodes.find(({ name }) => name === subject)?.node;
  if (declared.state === "normal" || pods?.length === 0 || isReady(foundIn(node))) return [];
  if (subject === undefined) return [step("failed", declared.meaning, [evidenceOf(last)], declared.remedy)];
  const gone = node?.state === "missing" ? ", which does not exist any more" : ", which has failed";
  return [step("failed", `${usersOf(pods)} on node ${subject}${gone}`, [evidenceOf(last)], declared.remedy)];
}

function usersOf(pods: readonly V1Pod[] | undefined): string {
  if (!pods) return "pods use the volume";
  const names = listed(pods.map((pod) => keyOf(pod)));
  return pods.length === 1 ? `pod ${names} uses the volume` : `pods ${names} use the volume`;
}

function isReady(node: V1Node | undefined): boolean {
  return node?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
}
