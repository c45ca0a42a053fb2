import { apiTimeoutMs, readsAnnotations, requestedBytes } from "@csi-sidecars/controller";
import type { TopologyRequirement } from "@csi-sidecars/csi";
import { PersistentVolumeClaim, VolumeAttributesClass } from "@csi-sidecars/kube";
import { translateClass } from "@csi-sidecars/translation";
import { missingCapability } from "../driver-facts.ts";
import type { Claim, Class } from "../fields.ts";
import { messages } from "../messages.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";
import { type FoundSource, findClone, findSnapshot } from "../source/content-source.ts";
import { type DataSource, dataSourceOf, mustEchoSource, notGranted, type SourceKind, sourceKindOf } from "../source/data-source.ts";
import { protectClaim, protectSnapshot } from "../source/protect-source.ts";
import { isGranted } from "../source/reference-grants.ts";
import { topologyRequirement } from "../topology/requirement.ts";
import { reschedulesForProblem } from "../topology/reschedule.ts";
import { requestParameters, secretsOf, usageOf } from "./class-decisions.ts";
import { type Preparation, type Refusal, refuse } from "./preparation.ts";
import { volumeName } from "./volume-name.ts";

export interface PrepareQuestion {
  readonly claim: Claim;
  readonly class: Class;
  readonly selectedNode: string | undefined;
}

/**
 * Decides all that the driver is to be told. What is wrong with the claim or its class is found before anything is read from the
 * API server; sources are protected last, so a claim that cannot be served leaves no trace.
 */
export async function prepare(c: ProvisionerContext, question: PrepareQuestion, signal: AbortSignal): Promise<Preparation | Refusal> {
  const { claim, selectedNode } = question;
  const { driver, settings } = c;
  const wanted = wantedSource(c, claim);
  if ("refused" in wanted) return wanted;
  const migrated = question.class.provisioner === driver.inTreeName;
  const translated = migrated ? translateClass(question.class, driver.name) : { value: question.class };
  if (translated.error !== undefined) return refuse("final", `failed to translate storage class: ${translated.error}`);
  const of = translated.value;
  const impossible = impossibility(c, claim, wanted.kind);
  if (impossible) return impossible;
  const name = volumeName(settings.naming, claim.metadata.uid);
  if (name.error !== undefined) return refuse("final", name.error);
  const usage = usageOf(claim, of, { ...settings, ...driver });
  if ("refused" in usage) return usage;

  const source = wanted.source && (await findSource(c, { claim, class: of, source: wanted.source }, wanted.kind, signal));
  if (source && "refused" in source) return source;
  const accessibility = requirementFor(c, question, of);
  if ("refused" in accessibility) return accessibility;
  const parameters = of.parameters ?? {};
  const references = secretsOf(parameters, name.value, await subjectOf(c, claim, parameters, signal));
  if ("refused" in references) return references;
  const forDriver = requestParameters(parameters, settings.extraCreateMetadata ? { claim, volume: name.value } : undefined);
  if ("refused" in forDriver) return forDriver;
  const mutable = await mutableParameters(c, claim, signal);
  if ("refused" in mutable) return mutable;
  if (source) await protect(c, source, signal);

  return {
    ...{ claim, selectedNode, migrated, class: question.class, volumeName: name.value, fsType: usage.fsType },
    secrets: references.secrets,
    request: {
      name: name.value,
      capacityRange: { requiredBytes: requestedBytes(claim), limitBytes: 0n },
      volumeCapabilities: usage.capabilities,
      parameters: { ...forDriver.parameters },
      volumeContentSource: source?.content,
      accessibilityRequirements: accessibility.requirement,
      mutableParameters: { ...mutable.parameters },
    },
    mustEchoSource: mustEchoSource(claim, settings.crossNamespace),
    source: wanted.source && source && { kind: source.kind, ref: { name: wanted.source.name, namespace: wanted.source.namespace } },
  };
}

function wantedSource(
  c: ProvisionerContext,
  claim: Claim,
): { readonly source: DataSource | undefined; readonly kind: SourceKind | undefined } | Refusal {
  const source = dataSourceOf(claim, c.settings.crossNamespace);
  if (source.error !== undefined) return refuse("final", source.error);
  if (!source.value) return { source: undefined, kind: undefined };
  const own = claim.metadata.namespace ?? "";
  if (source.value.namespace !== own && !isGranted(c.grantsIn(source.value.namespace), source.value, own)) {
    return refuse("final", notGranted(source.value, claim));
  }
  const kind = sourceKindOf(source.value, claim.metadata.name);
  return kind.error === undefined ? { source: source.value, kind: kind.value } : refuse("final", kind.error);
}

/** What the driver cannot do, or nobody can. */
function impossibility({ driver, settings }: ProvisionerContext, claim: Claim, kind: SourceKind | undefined): Refusal | undefined {
  if (kind === "populator") return refuse("populator", "a populator provides the volume");
  const attributesClass = settings.attributesClasses && Boolean(claim.spec?.volumeAttributesClassName);
  const missing = missingCapability(driver, { snapshot: kind === "snapshot", clone: kind === "claim", attributesClass });
  if (missing !== undefined) return refuse("final", missing);
  return claim.spec?.selector ? refuse("final", messages.selectorUnsupported()) : undefined;
}

async function findSource(
  c: ProvisionerContext,
  question: { readonly claim: Claim; readonly class: Class; readonly source: DataSource },
  kind: SourceKind | undefined,
  signal: AbortSignal,
): Promise<FoundSource | Refusal> {
  const found = await (kind === "snapshot" ? findSnapshot : findClone)(c, question, signal);
  return found.error === undefined ? found.value : refuse("unchanged", found.error);
}

function requirementFor(
  c: ProvisionerContext,
  { claim, selectedNode }: PrepareQuestion,
  of: Class,
): { readonly requirement: TopologyRequirement | undefined } | Refusal {
  const { strictTopology: strict, immediateTopology: immediate } = c.settings;
  const { uid, name: claimName } = claim.metadata;
  if (!c.driver.topology || !c.nodes) return { requirement: undefined };
  const answer = topologyRequirement({
    ...{ claimName, selectedNode, strict, immediate, nodes: c.nodes },
    allowedTopologies: of.allowedTopologies,
  });
  if (!("problem" in answer)) {
    c.memory.nodeProblems.delete(uid);
    return answer;
  }
  const { problem, error } = answer;
  const before = c.memory.nodeProblems.get(uid);
  const same = before?.node === selectedNode && before?.problem === problem;
  const since = same && before ? before.since : c.clock.monotonic();
  c.memory.nodeProblems.set(uid, { node: selectedNode ?? "", problem, since });
  const lastingMs = c.clock.monotonic() - since;
  return refuse(reschedulesForProblem(problem, { inProgress: false, lastingMs }) ? "reschedule" : "unchanged", error);
}

/** What templates of the class may speak of; annotations are asked for where one does. */
async function subjectOf(c: ProvisionerContext, claim: Claim, parameters: Readonly<Record<string, string>>, signal: AbortSignal) {
  const { name, namespace = "", uid } = claim.metadata;
  if (!readsAnnotations(parameters)) return { name, namespace };
  const fresh = await c.kube.get(PersistentVolumeClaim, { name, namespace }, { signal, timeoutMs: apiTimeoutMs });
  if (fresh.metadata?.uid !== uid)
    throw new Error(`persistentvolumeclaim "${name}" is another one by now, and does not say which secret to use`);
  return { name, namespace, annotations: fresh.metadata?.annotations ?? {} };
}

async function mutableParameters(
  c: ProvisionerContext,
  { spec }: Claim,
  signal: AbortSignal,
): Promise<{ readonly parameters: Readonly<Record<string, string>> } | Refusal> {
  const name = c.settings.attributesClasses ? spec?.volumeAttributesClassName : undefined;
  if (!name) return { parameters: {} };
  const found = await c.kube.get(VolumeAttributesClass, { name }, { signal, timeoutMs: apiTimeoutMs });
  if (found.driverName === c.driver.name) return { parameters: found.parameters ?? {} };
  return refuse("final", messages.attributesClassOfOtherDriver(name, found.driverName, c.driver.name));
}

async function protect(c: ProvisionerContext, source: FoundSource, signal: AbortSignal): Promise<void> {
  const options = { signal, timeoutMs: apiTimeoutMs };
  if (source.kind === "snapshot") return protectSnapshot(c.kube, source.snapshot, options, c.log);
  const { namespace, name } = source.claim.metadata;
  await c.locks.run(`source ${namespace}/${name}`, () => protectClaim(c.kube, source.claim, options));
}
