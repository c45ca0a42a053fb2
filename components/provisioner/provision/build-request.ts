import type { Result } from "@csi-sidecars/base";
import { type Parameters, readsAnnotations, requestedBytes, secretReferences } from "@csi-sidecars/controller";
import { translateClass } from "@csi-sidecars/translation";
import { type DriverInfo, missingCapability } from "../driver-capabilities.ts";
import type { Claim, Class, Grant } from "../fields.ts";
import { messages } from "../messages.ts";
import type { Settings } from "../settings.ts";
import {
  type DataSource,
  dataSourceOf,
  type FoundSource,
  isGranted,
  mustEchoSource,
  notGranted,
  type SourceKind,
  sourceKindOf,
} from "../source/data-source.ts";
import type { TopologyResult } from "../topology/requirement.ts";
import { reschedulesForProblem } from "../topology/selected-node.ts";
import { volumeName } from "../volume-name.ts";
import type { ProvisionRequest } from "./provision-request.ts";
import { requestParameters, volumeCapabilities } from "./request-parameters.ts";

/** What a request is built from: the claim with its class, and what is the same for all claims. */
export interface ProvisionOptions {
  readonly claim: Claim;
  readonly class: Class;
  readonly selectedNode: string | undefined;
  readonly driver: DriverInfo;
  readonly settings: Settings;
  grantsIn(namespace: string): readonly Grant[];
}

/** What is read while a request is built; absent until {@link buildRequest} asks for it. */
export interface RequestInputs {
  readonly source?: Result<FoundSource>;
  /** `lastingMs`: how long the claim has had the problem, if there is one. */
  readonly topology?: TopologyResult & { readonly lastingMs: number };
  /** The claim's annotations at this moment: those that templates name are not cached. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly attributesClass?: { readonly driverName: string; readonly parameters?: Parameters };
}

/** One of the inputs. */
export type InputRead =
  | { readonly input: "source"; readonly source: DataSource; readonly kind: "snapshot" | "claim"; readonly class: Class }
  | { readonly input: "topology"; readonly class: Class }
  | { readonly input: "annotations" }
  | { readonly input: "attributesClass"; readonly name: string };

/**
 * Why the driver is not called.
 * - `error`: something is wrong. `reschedule`: the selected node has no usable topology, the scheduler has to choose another one.
 * - `populator`: an external populator provides the volume.
 */
export interface Refusal {
  readonly step: "refuse";
  readonly why: "error" | "reschedule" | "populator";
  readonly message: string;
}

export type RequestStep =
  | ({ readonly step: "read" } & InputRead)
  | Refusal
  /** `source` is to be protected before the call. */
  | { readonly step: "ready"; readonly request: ProvisionRequest; readonly source: FoundSource | undefined };

/**
 * Decides all that the driver is told: names the next input to read, or the request, or why there is none. What is wrong with the claim
 * or its class is found before anything is read, and each input is read only when everything before it is in order.
 */
export function buildRequest(options: ProvisionOptions, inputs: RequestInputs): RequestStep {
  const { claim, driver, settings, selectedNode } = options;
  const wanted = wantedSource(options);
  if ("step" in wanted) return wanted;
  const migrated = options.class.provisioner === driver.inTreeName;
  const translated = migrated ? translateClass(options.class, driver.name) : { value: options.class };
  if (translated.error !== undefined) return refuse(`failed to translate storage class: ${translated.error}`);
  const storageClass = translated.value;
  if (wanted.kind === "populator") return refuse("a populator provides the volume", "populator");
  const unsupported = unsupportedBecause(options, wanted.kind);
  if (unsupported !== undefined) return refuse(unsupported);
  const name = volumeName(settings.naming, claim.metadata.uid);
  if (name.error !== undefined) return refuse(name.error);
  const usage = volumeCapabilities(claim, storageClass, { ...settings, ...driver });
  if (usage.error !== undefined) return refuse(usage.error);

  if (wanted.kind !== undefined && !inputs.source) {
    return { step: "read", input: "source", source: wanted.source, kind: wanted.kind, class: storageClass };
  }
  if (inputs.source?.error !== undefined) return refuse(inputs.source.error);
  const source = inputs.source?.value;
  const { topology } = inputs;
  if (driver.topology && !topology) return { step: "read", input: "topology", class: storageClass };
  if (topology && "problem" in topology) {
    return refuse(topology.error, reschedulesForProblem(topology.problem, topology.lastingMs) ? "reschedule" : "error");
  }
  const parameters = storageClass.parameters ?? {};
  if (readsAnnotations(parameters) && !inputs.annotations) return { step: "read", input: "annotations" };
  const subject = { name: claim.metadata.name, namespace: claim.metadata.namespace ?? "" };
  const { annotations } = inputs;
  const secrets = secretReferences(parameters, { volume: name.value, claim: { ...subject, ...(annotations && { annotations }) } });
  if (secrets.error !== undefined) return refuse(secrets.error);
  const forDriver = requestParameters(parameters, settings.extraCreateMetadata ? { claim, volume: name.value } : undefined);
  if (forDriver.error !== undefined) return refuse(forDriver.error);
  const mutable = mutableParameters(options, inputs);
  if ("step" in mutable) return mutable;

  const request: ProvisionRequest = {
    ...{ claim, selectedNode, migrated, class: options.class, volumeName: name.value, fsType: usage.value.fsType },
    secrets: secrets.value,
    createVolume: {
      name: name.value,
      capacityRange: { requiredBytes: requestedBytes(claim), limitBytes: 0n },
      volumeCapabilities: usage.value.capabilities,
      parameters: { ...forDriver.value },
      volumeContentSource: source?.content,
      accessibilityRequirements: topology?.requirement,
      mutableParameters: { ...mutable.parameters },
    },
    mustEchoSource: mustEchoSource(claim, settings.crossNamespace),
    source: wanted.source && source && { kind: source.kind, ref: { name: wanted.source.name, namespace: wanted.source.namespace } },
  };
  return { step: "ready", request, source };
}

function refuse(message: string, why: Refusal["why"] = "error"): Refusal {
  return { step: "refuse", why, message };
}

type WantedSource = { readonly source: DataSource; readonly kind: SourceKind } | { readonly source?: undefined; readonly kind?: undefined };

function wantedSource({ claim, settings, grantsIn }: ProvisionOptions): WantedSource | Refusal {
  const source = dataSourceOf(claim, settings.crossNamespace);
  if (source.error !== undefined) return refuse(source.error);
  if (!source.value) return {};
  const own = claim.metadata.namespace ?? "";
  if (source.value.namespace !== own && !isGranted(grantsIn(source.value.namespace), source.value, own)) {
    return refuse(notGranted(source.value, claim));
  }
  const kind = sourceKindOf(source.value, claim.metadata.name);
  return kind.error === undefined ? { source: source.value, kind: kind.value } : refuse(kind.error);
}

/** What the driver does not support, or what is never supported. */
function unsupportedBecause({ driver, settings, claim }: ProvisionOptions, kind: SourceKind | undefined): string | undefined {
  const attributesClass = settings.attributesClasses && Boolean(claim.spec?.volumeAttributesClassName);
  const missing = missingCapability(driver, { snapshot: kind === "snapshot", clone: kind === "claim", attributesClass });
  return missing ?? (claim.spec?.selector ? messages.selectorUnsupported() : undefined);
}

function mutableParameters(
  { claim, driver, settings }: ProvisionOptions,
  { attributesClass }: RequestInputs,
): { readonly parameters: Parameters } | RequestStep {
  const name = settings.attributesClasses ? claim.spec?.volumeAttributesClassName : undefined;
  if (!name) return { parameters: {} };
  if (!attributesClass) return { step: "read", input: "attributesClass", name };
  if (attributesClass.driverName === driver.name) return { parameters: attributesClass.parameters ?? {} };
  return refuse(messages.attributesClassOfOtherDriver(name, attributesClass.driverName, driver.name));
}
