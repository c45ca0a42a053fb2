/** How many pods a ReplicaSet has, and how many of them can be used. */
export interface ReplicaCount {
  readonly replicas: number;
  readonly available: number;
}

export interface RollingUpdate {
  readonly wanted: number;
  /** Of the present template. */
  readonly current: ReplicaCount;
  /** Of earlier templates, the oldest first. */
  readonly old: readonly ReplicaCount[];
  /** How many more than wanted there may be, as a number or a percentage. */
  readonly maxSurge?: number | string;
  readonly maxUnavailable?: number | string;
}

/** The sizes of the ReplicaSets in the next step of a rolling update: first the new one grows, then the old ones shrink. */
export function rollingReplicas({ wanted, current, old, maxSurge = "25%", maxUnavailable = "25%" }: RollingUpdate) {
  const surge = share(maxSurge, wanted, Math.ceil);
  const missing = share(maxUnavailable, wanted, Math.floor);
  const sum = (sets: readonly ReplicaCount[], of: keyof ReplicaCount) => sets.reduce((all, set) => all + set[of], 0);
  const unchanged = { current: current.replicas, old: old.map(({ replicas }) => replicas) };
  const total = current.replicas + sum(old, "replicas");
  const grown =
    current.replicas > wanted ? wanted : Math.max(current.replicas, Math.min(wanted, current.replicas + wanted + surge - total));
  if (grown !== current.replicas) return { ...unchanged, current: grown };

  const needed = wanted - (surge + missing === 0 ? 1 : missing);
  let removable = Math.max(0, total - needed - Math.max(0, current.replicas - current.available));
  const broken = old.map(({ replicas, available }) => {
    const count = Math.min(removable, Math.max(0, replicas - available));
    removable -= count;
    return count;
  });
  let spare = Math.max(0, current.available + sum(old, "available") - needed);
  const shrunk = old.map(({ replicas }, i) => {
    const left = replicas - (broken[i] ?? 0);
    const count = Math.min(left, removable, spare);
    removable -= count;
    spare -= count;
    return left - count;
  });
  return { ...unchanged, old: shrunk };
}

function share(amount: number | string, of: number, round: (part: number) => number): number {
  const text = String(amount);
  return text.endsWith("%") ? round((Number.parseInt(text, 10) * of) / 100) : Number(text);
}
