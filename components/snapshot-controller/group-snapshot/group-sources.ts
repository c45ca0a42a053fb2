import type { Result } from "@csi-sidecars/base";
import { labelSelectorProblem, labelSelectorText, matchesLabels } from "@csi-sidecars/kube";
import type { Claim, GroupSnapshot, Volume } from "../fields.ts";
import { volumeOf } from "../source-volume.ts";
import { groupMessages as messages } from "./group-messages.ts";

/** Where the sources of a group snapshot are looked up. */
export interface SourceCaches {
  readonly claims: { list(namespace: string): readonly Claim[] };
  readonly volumes: { get(name: string): Volume | undefined };
}

/** The volumes of the claims that a group snapshot selects, in the order of the claims' names; or why it cannot be taken. */
export function groupSources(caches: SourceCaches, group: GroupSnapshot): Result<readonly Volume[]> {
  const claims = selectedClaims(caches.claims, group);
  if (claims.error !== undefined) return claims;
  const volumes: Volume[] = [];
  for (const claim of claims.value) {
    const volume = volumeOf(caches.volumes, claim, "group snapshot");
    if (volume.error !== undefined) return volume;
    volumes.push(volume.value);
  }
  return { value: volumes };
}

function selectedClaims(claims: SourceCaches["claims"], { metadata, spec }: GroupSnapshot): Result<readonly Claim[]> {
  const selector = spec?.source?.selector ?? {};
  const problem = labelSelectorProblem(selector);
  if (problem !== undefined) return { error: messages.claimsUnavailable(labelSelectorText(selector), problem) };
  const selected = claims.list(metadata.namespace ?? "").filter((claim) => matchesLabels(selector, claim.metadata.labels));
  if (selected.length === 0) return { error: messages.noClaims(labelSelectorText(selector)) };
  return { value: selected.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)) };
}
