import { bytesOf, ownValue } from "@csi-sidecars/base";
import {
  meetsRequirement,
  type Requirement,
  storageClassName,
  type V1Node,
  type V1PersistentVolume,
  type V1PersistentVolumeClaim,
} from "@csi-sidecars/kube";
import { foundIn } from "../../access/read-cluster.ts";
import { type Evidence, type Step, step } from "../explanation.ts";
import type { ObservedClaim } from "../gather/observed.ts";

const evidenceLimit = 3;

/** A claim that no provisioner serves: which existing volume comes closest, and what does not match. */
export function staticVolumeStep(claim: V1PersistentVolumeClaim, observed: ObservedClaim): Step {
  const volumes = foundIn(observed.volumes);
  const remedy = "create a matching PersistentVolume, or recreate the claim so that one matches";
  if (!volumes) return step("waiting", "no volume was found for the claim yet", [], remedy);
  const node = foundIn(observed.selectedNode?.node);
  const candidates = volumes
    .filter((volume) => volume.status?.phase === "Available" || isReserved(volume, claim))
    .map((volume) => ({ volume, problems: mismatches(claim, volume, node) }))
    .sort((a, b) => a.problems.length - b.problems.length);
  const [best] = candidates;
  if (!best) return step("waiting", "no PersistentVolume is available", [], remedy);
  if (best.problems.length === 0) return step("done", `volume ${nameOf(best.volume)} matches`);
  return step(
    "waiting",
    `no available volume matches (of ${candidates.length}); the closest is ${nameOf(best.volume)}: ${best.problems.join("; ")}`,
    candidates
      .slice(0, evidenceLimit)
      .map(
        ({ volume, problems }): Evidence => ({ object: `PersistentVolume ${nameOf(volume)}`, field: "spec", value: problems.join("; ") }),
      ),
    remedy,
  );
}

/** A claim that names its volume. */
export function namedVolumeStep(claim: V1PersistentVolumeClaim, { volume: lookup }: ObservedClaim): Step {
  const name = claim.spec?.volumeName ?? "";
  const object = `PersistentVolume ${name}`;
  if (lookup?.state === "missing") {
    return step(
      "waiting",
      `the claim names volume ${name}, which does not exist`,
      [{ object, field: "metadata.name", value: "not found" }],
      `create PersistentVolume ${name}, or recreate the claim without spec.volumeName`,
    );
  }
  const volume = foundIn(lookup);
  const problems = volume ? mismatches(claim, volume) : [];
  if (problems.length === 0) return step("done", `the claim names volume ${name}`);
  const remedy = problems.some((problem) => problem.includes("spec.claimRef.uid"))
    ? `remove spec.claimRef.uid from PersistentVolume ${name} if the claim may have its data`
    : "change the claim or the volume so that they match";
  return step(
    "failed",
    `the claim names volume ${name}, which does not match: ${problems.join("; ")}`,
    [{ object, field: "spec", value: problems.join("; ") }],
    remedy,
  );
}

const nameOf = (volume: V1PersistentVolume) => volume.metadata?.name ?? "";

function isReserved({ spec }: V1PersistentVolume, { metadata }: V1PersistentVolumeClaim): boolean {
  return spec?.claimRef?.name === metadata?.name && spec?.claimRef?.namespace === metadata?.namespace;
}

/** Why the binder does not give this volume to this claim, in words about the volume; empty: nothing is in the way. */
export function mismatches(claim: V1PersistentVolumeClaim, volume: V1PersistentVolume, node?: V1Node): readonly string[] {
  const { spec: wants = {} } = claim;
  const { spec: has = {}, metadata } = volume;
  const requested = wants.resources?.requests?.storage;
  const size = has.capacity?.storage;
  const modes = (wants.accessModes ?? []).filter((mode) => !has.accessModes?.includes(mode));
  const [wantedMode, mode] = [wants.volumeMode ?? "Filesystem", has.volumeMode ?? "Filesystem"];
  const [wantedClass, ownClass] = [storageClassName(claim), storageClassName(volume)];
  const [wantedAttributes, attributes] = [wants.volumeAttributesClassName ?? "", has.volumeAttributesClassName ?? ""];
  const owner = has.claimRef;
  const taken = owner && (owner.name !== claim.metadata?.name || owner.namespace !== claim.metadata?.namespace);
  const unlabelled = labelProblem(wants.selector, metadata?.labels ?? {});
  const phase = volume.status?.phase ?? "Pending";
  return [
    ...(taken ? [`it is reserved for claim ${owner.namespace}/${owner.name}`] : []),
    ...(!taken && owner?.uid && claim.metadata?.uid && owner.uid !== claim.metadata.uid
      ? ["it belongs to an older claim of the same name (spec.claimRef.uid differs)"]
      : []),
    ...(!owner && phase !== "Available" ? [`its phase is ${phase}`] : []),
    ...(metadata?.deletionTimestamp ? ["it is being deleted"] : []),
    ...(wantedClass !== ownClass ? [`its class is ${quoted(ownClass)}, requested ${quoted(wantedClass)}`] : []),
    ...(bytesOf(size) < bytesOf(requested) ? [`its capacity is ${size ?? "unknown"}, requested ${requested}`] : []),
    ...(modes.length > 0 ? [`it does not support ${modes.join(", ")} (only ${has.accessModes?.join(", ") ?? "nothing"})`] : []),
    ...(wantedMode !== mode ? [`its volumeMode is ${mode}, requested ${wantedMode}`] : []),
    ...(wantedAttributes !== attributes
      ? [`its volumeAttributesClassName is ${quoted(attributes)}, requested ${quoted(wantedAttributes)}`]
      : []),
    ...(unlabelled ? [unlabelled] : []),
    ...(node && !reaches(volume, node) ? [`its nodeAffinity excludes node ${node.metadata?.name}`] : []),
  ];
}

const quoted = (name: string) => (name === "" ? "none" : name);

type Selector = NonNullable<V1PersistentVolumeClaim["spec"]>["selector"];

function labelProblem(selector: Selector, labels: Readonly<Record<string, string>>): string | undefined {
  const wanted: readonly Requirement[] = [
    ...Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => ({ key, operator: "In", values: [value] })),
    ...(selector?.matchExpressions ?? []),
  ];
  const failing = wanted.filter((requirement) => !satisfies(requirement, labels));
  return failing.length > 0 ? `its labels do not match the selector (${failing.map(({ key }) => key).join(", ")})` : undefined;
}

function satisfies(requirement: Requirement, labels: Readonly<Record<string, string>>): boolean {
  return meetsRequirement(requirement, ownValue(labels, requirement.key));
}

/** Whether the node may use the volume. Terms are alternatives; an empty one selects nothing. */
function reaches({ spec }: V1PersistentVolume, node: V1Node): boolean {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms;
  if (!terms) return true;
  const { labels = {}, name = "" } = node.metadata ?? {};
  return terms.some(({ matchExpressions = [], matchFields = [] }) => {
    const byLabel = matchExpressions.every((requirement) => satisfies(requirement, labels));
    const byField = matchFields.every((requirement) => satisfies(requirement, { "metadata.name": name }));
    return matchExpressions.length + matchFields.length > 0 && byLabel && byField;
  });
}
