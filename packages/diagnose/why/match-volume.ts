import { bytesOf } from "@csi-sidecars/base";
import { meetsRequirement, type Requirement, type V1Node, type V1PersistentVolume, type V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import { classNameOf } from "./class-name.ts";

/** Why the binder does not give this volume to this claim, in words about the volume; empty: nothing is in the way. */
export function mismatches(claim: V1PersistentVolumeClaim, volume: V1PersistentVolume, node?: V1Node): readonly string[] {
  const { spec: wants = {} } = claim;
  const { spec: has = {}, metadata } = volume;
  const asked = wants.resources?.requests?.storage;
  const size = has.capacity?.storage;
  const modes = (wants.accessModes ?? []).filter((mode) => !has.accessModes?.includes(mode));
  const [wantedMode, mode] = [wants.volumeMode ?? "Filesystem", has.volumeMode ?? "Filesystem"];
  const [wantedClass, ownClass] = [classNameOf(claim) ?? "", classNameOf(volume) ?? ""];
  const [wantedAttributes, attributes] = [wants.volumeAttributesClassName ?? "", has.volumeAttributesClassName ?? ""];
  const owner = has.claimRef;
  const taken = owner && (owner.name !== claim.metadata?.name || owner.namespace !== claim.metadata?.namespace);
  const unlabelled = labelProblem(wants.selector, metadata?.labels ?? {});
  const phase = volume.status?.phase ?? "Pending";
  return [
    ...(taken ? [`it is kept for claim ${owner.namespace}/${owner.name}`] : []),
    ...(!taken && owner?.uid && claim.metadata?.uid && owner.uid !== claim.metadata.uid
      ? ["it belongs to an older claim of the same name (spec.claimRef.uid differs)"]
      : []),
    ...(!owner && phase !== "Available" ? [`its phase is ${phase}`] : []),
    ...(metadata?.deletionTimestamp ? ["it is being deleted"] : []),
    ...(wantedClass !== ownClass ? [`its class is ${quoted(ownClass)}, wanted ${quoted(wantedClass)}`] : []),
    ...(bytesOf(size) < bytesOf(asked) ? [`it has ${size ?? "no size"}, wanted ${asked}`] : []),
    ...(modes.length > 0 ? [`it does not offer ${modes.join(", ")} (only ${has.accessModes?.join(", ") ?? "nothing"})`] : []),
    ...(wantedMode !== mode ? [`its volumeMode is ${mode}, wanted ${wantedMode}`] : []),
    ...(wantedAttributes !== attributes
      ? [`its volumeAttributesClassName is ${quoted(attributes)}, wanted ${quoted(wantedAttributes)}`]
      : []),
    ...(unlabelled ? [unlabelled] : []),
    ...(node && !reaches(volume, node) ? [`its nodeAffinity leaves out node ${node.metadata?.name}`] : []),
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
  return failing.length > 0 ? `its labels do not satisfy the selector (${failing.map(({ key }) => key).join(", ")})` : undefined;
}

function satisfies(requirement: Requirement, labels: Readonly<Record<string, string>>): boolean {
  return meetsRequirement(requirement, labels[requirement.key]);
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
