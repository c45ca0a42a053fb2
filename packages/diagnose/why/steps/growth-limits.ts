import { bytesOf, formatBytes, ownValue } from "@csi-sidecars/base";
import { keyOf, storageClassName, type V1PersistentVolumeClaim, type V1ResourceQuota } from "@csi-sidecars/kube";
import { foundIn } from "../../access/read-cluster.ts";
import type { ObservedClaim } from "../gather/observed.ts";
import { expands } from "./claim-expansion.ts";

/**
 * What would keep a claim from growing. The API server refuses such a request when it is written, so nothing waits and no object tells of it:
 * it is said of every bound claim that has what it requests.
 */
export function growthLimits(claim: V1PersistentVolumeClaim, observed: ObservedClaim): readonly string[] {
  if (claim.status?.phase !== "Bound" || expands(claim)) return [];
  return [...classLimit(claim, observed), ...quotaLimit(claim, foundIn(observed.quotas) ?? [])];
}

function classLimit(claim: V1PersistentVolumeClaim, { storageClass }: ObservedClaim): readonly string[] {
  const className = storageClassName(claim);
  if (className === "") return ["it cannot be expanded: it has no StorageClass that allows it"];
  if (storageClass?.state === "missing")
    return [`it cannot be expanded: its StorageClass ${className}, which must allow it, does not exist`];
  if (!foundIn(storageClass) || foundIn(storageClass)?.allowVolumeExpansion) return [];
  return [`it cannot be expanded: StorageClass ${className} does not allow it (allowVolumeExpansion)`];
}

interface Limit {
  readonly quota: string;
  readonly resource: string;
  readonly hard: string;
  readonly used: string;
  readonly left: bigint;
}

/** The quota that leaves least. One for some claims only (with scopes) is not judged. */
function quotaLimit(claim: V1PersistentVolumeClaim, quotas: readonly V1ResourceQuota[]): readonly string[] {
  const names = ["requests.storage", `${storageClassName(claim)}.storageclass.storage.k8s.io/requests.storage`];
  const limits = quotas
    .filter(({ spec }) => !spec?.scopeSelector && !spec?.scopes?.length)
    .flatMap((quota) => names.flatMap((resource) => limitOf(quota, resource)));
  const tightest = limits.reduce<Limit | undefined>((least, each) => (least && least.left <= each.left ? least : each), undefined);
  if (!tightest) return [];
  const { quota, resource, hard, used, left } = tightest;
  const much = left > 0n ? `it can grow by ${formatBytes(left)} at most` : "it cannot grow";
  return [`${much}: ResourceQuota ${quota} allows ${hard} of ${resource} in the namespace, of which ${used} are used`];
}

function limitOf(quota: V1ResourceQuota, resource: string): readonly Limit[] {
  const { hard: limits = {}, used: uses = {} } = quota.status ?? {};
  const [hard, used] = [limits, uses].map((amounts) => ownValue(amounts, resource)?.toString());
  if (hard === undefined || used === undefined) return [];
  return [{ quota: keyOf(quota), resource, hard, used, left: bytesOf(hard) - bytesOf(used) }];
}
