import { Namespace, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { explain } from "../explain.ts";
import type { Explanation } from "../explanation.ts";
import type { GatherContext } from "../gather/context.ts";
import { findSuspects } from "./find-suspects.ts";
import { listedCluster } from "./listed-cluster.ts";
import type { Suspect } from "./suspects.ts";

/** An object that is stuck. */
export interface Stuck {
  readonly explanation: Explanation;
  /** RFC 3339, where something says it. */
  readonly since?: string;
}

/** Everything that is stuck. Fields may be added, never renamed: it is printed as JSON too. */
export interface Overview {
  /** The worst first. */
  readonly stuck: readonly Stuck[];
  /** How many objects may be stuck, and how many of them were looked at closely. */
  readonly suspects: number;
  readonly explained: number;
  readonly unreadable: readonly string[];
  /** Whether not even claims could be read: that nothing was found says nothing then. */
  readonly isBlind: boolean;
  /** The namespace that was looked through. */
  readonly namespace?: string;
  /** Whether there is no such namespace: that nothing was found in it says nothing either. */
  readonly isNowhere: boolean;
}

/** So many objects are explained at most, those first that have waited for longest: an explanation looks through all pods. */
const explainedAtMost = 1_000;

/** What is stuck in the cluster, or in a namespace. Each kind is listed once, however many objects there are. */
export async function takeOverview(context: GatherContext, namespace: string | undefined): Promise<Overview> {
  const cluster = listedCluster(context.cluster, namespace);
  const suspects = await findSuspects({ ...context, cluster }, namespace);
  const claims = await cluster.list(PersistentVolumeClaim, namespace === undefined ? {} : { namespace });
  const eldest = suspects.toSorted((a, b) => timeOf(a.since) - timeOf(b.since)).slice(0, explainedAtMost);
  const stuck: Stuck[] = [];
  for (const suspect of eldest) {
    const explanation = await explain({ ...context, cluster }, suspect.object);
    const since = sinceWhen(explanation, suspect);
    if (explanation.state !== "done" && explanation.found) stuck.push({ explanation, ...(since !== undefined && { since }) });
  }
  const isNowhere = namespace !== undefined && suspects.length === 0 && (await isMissing(context, namespace));
  return {
    ...(namespace !== undefined && { namespace }),
    isNowhere,
    stuck: worstFirst(withoutRepeated(stuck)),
    suspects: suspects.length,
    explained: eldest.length,
    unreadable: [...cluster.notes].sort(),
    isBlind: claims.state === "unreadable",
  };
}

async function isMissing({ cluster }: GatherContext, namespace: string): Promise<boolean> {
  return (await cluster.get(Namespace, { name: namespace })).state === "missing";
}

/** What a step says, else since when the object may be stuck: an error that is repeated tells only when it was last seen. */
function sinceWhen({ steps, summary }: Explanation, { since }: Suspect): string | undefined {
  return steps.find(({ what }) => what === summary)?.evidence.find((each) => each.since !== undefined)?.since ?? since;
}

const timeOf = (since: string | undefined) => (since === undefined ? Number.POSITIVE_INFINITY : Date.parse(since));

/**
 * A pod that waits for its claim says what the claim says, and so does a claim that waits for its pod, and a volume that waits to be detached:
 * one line is enough.
 */
function withoutRepeated(stuck: readonly Stuck[]): readonly Stuck[] {
  const subjects = new Set(stuck.map(({ explanation }) => explanation.subject));
  const about = ({ explanation: { summary } }: Stuck) => summary.slice(0, Math.max(0, summary.indexOf(": ")));
  const podsOfClaims = new Set(stuck.map(({ explanation: { summary } }) => /^pod (\S+) /.exec(summary)?.[1]).map((pod) => `Pod ${pod}`));
  const isToBeDetached = ({ explanation }: Stuck) =>
    explanation.subject.startsWith("PersistentVolume ") && subjects.has(referredTo(explanation));
  return stuck.filter((each) => !subjects.has(about(each)) && !podsOfClaims.has(each.explanation.subject) && !isToBeDetached(each));
}

/** The attachment that the blocking step sends the reader to. */
function referredTo({ steps, summary }: Explanation): string {
  const remedy = steps.find(({ what }) => what === summary)?.remedy ?? "";
  return `VolumeAttachment ${/^see csi-sidecars why volumeattachment (\S+)$/.exec(remedy)?.[1]}`;
}

/** What failed before what waits; of each, what has lasted longest. */
function worstFirst(stuck: readonly Stuck[]): readonly Stuck[] {
  const rank = ({ explanation }: Stuck) => (explanation.state === "failed" ? 0 : 1);
  return stuck.toSorted((a, b) => rank(a) - rank(b) || timeOf(a.since) - timeOf(b.since));
}
