import { ownValue } from "@csi-sidecars/base";
import { type PluginCapabilities, PluginCapability_Service_Type, type TopologyRequirement } from "@csi-sidecars/csi";
import { messages } from "../messages.ts";
import type { NodeTopologies } from "./node-topologies.ts";
import { spreadStart } from "./spread.ts";
import {
  distinctTerms,
  isSubset,
  type Labels,
  type Segment,
  showTerm,
  showTerms,
  sortedTerm,
  type Term,
  termOfLabels,
  toTopologies,
} from "./term.ts";

/** Whether the driver's volumes have a topology: the gate `Topology` is on, and the driver reports it. */
export function usesTopology(gate: boolean, plugin: PluginCapabilities): boolean {
  return gate && plugin.services.has(PluginCapability_Service_Type.VOLUME_ACCESSIBILITY_CONSTRAINTS);
}

export interface TopologyOptions {
  readonly claimName: string;
  /** The scheduler's choice; empty or absent with immediate binding. */
  readonly selectedNode?: string | undefined;
  /** Of the class, after its translation. */
  readonly allowedTopologies?: readonly TopologySelectorTerm[] | undefined;
  /** `--strict-topology` */
  readonly strict: boolean;
  /** `--immediate-topology` */
  readonly immediate: boolean;
  readonly nodes: NodeTopologies;
  /** Only for a claim without a name. */
  readonly random?: (() => number) | undefined;
}

/** Why there is no requirement, for those who decide what to do about it. */
export type TopologyProblem =
  | "no-csinode"
  | "not-registered"
  | "no-keys"
  | "node-gone"
  | "labels-missing"
  | "not-allowed"
  | "bad-key"
  | "no-topology";

export type TopologyResult =
  /** No requirement: the driver may choose freely. */
  | { readonly requirement: TopologyRequirement | undefined }
  /** `error` is the text for the claim's event. */
  | { readonly problem: TopologyProblem; readonly error: string };

/**
 * The `accessibility_requirements` of a CreateVolume call. Ask only if {@link usesTopology}, and not again for a call that may be
 * running: its retries must be the same although nodes come, go and change their labels meanwhile.
 */
export function topologyRequirement(options: TopologyOptions): TopologyResult {
  const { selectedNode, allowedTopologies = [], strict, immediate, nodes } = options;
  const selected = selectedNode ? topologyOf(selectedNode, nodes) : undefined;
  if (selected && "problem" in selected) return selected;

  const allowed = flattenAllowed(allowedTopologies);
  let requisite: readonly Term[];
  if (selected && strict) {
    if (allowedTopologies.length > 0 && !allowed.some((term) => isSubset(term, selected.term))) {
      const text = messages.nodeNotAllowed(selectedNode, showTerm(selected.term), showTerms(allowed));
      return failed("not-allowed", text);
    }
    requisite = [selected.term];
  } else if (allowedTopologies.length > 0) {
    requisite = distinctTerms(allowed);
  } else if (!selected && !immediate) {
    return { requirement: undefined };
  } else {
    const found = clusterTerms(nodes, selected?.keys);
    if ("problem" in found) return found;
    requisite = found.terms;
  }
  if (requisite.length === 0) return { requirement: undefined };

  const start = selected
    ? requisite.findIndex((term) => isSubset(term, selected.term))
    : spreadStart(options.claimName, requisite.length, options.random ?? Math.random);
  if (selected && start < 0) {
    const text = messages.nodeNotRequisite(showTerm(selected.term), selectedNode, showTerms(requisite));
    return failed("not-allowed", text);
  }
  const preferred = [...requisite.slice(start), ...requisite.slice(0, start)];
  return { requirement: { requisite: toTopologies(requisite), preferred: toTopologies(preferred) } };
}

type Failed = Extract<TopologyResult, { readonly problem: unknown }>;

function topologyOf(node: string, nodes: NodeTopologies): { readonly term: Term; readonly keys: readonly string[] } | Failed {
  const driver = nodes.driverOn(node);
  if (driver.state === "no-csinode") {
    return { problem: "no-csinode", error: messages.csiNodeMissing(node) };
  }
  if (driver.state === "not-registered") return failed("not-registered", `no topology key found for node ${node}`);
  const { keys } = driver;
  if (keys.length === 0) return failed("no-keys", `no topology key found for node ${node}`);
  const labels = nodes.labelsOf(node);
  const term = termOfLabels(labels ?? {}, keys);
  if (term) return { term, keys };
  const text = `topology labels from selected node ${showLabels(labels ?? {})} does not match topology keys from CSINode ${showKeys(keys)}`;
  return failed(labels ? "labels-missing" : "node-gone", text);
}

/** All topologies of the cluster: by the selected node's keys, else by the most usual keys that are found on any node. */
function clusterTerms(nodes: NodeTopologies, keys: readonly string[] | undefined): { readonly terms: readonly Term[] } | Failed {
  const choices = keys ? [keys] : nodes.keySets();
  let problem: Failed | undefined;
  for (const choice of choices) {
    const invalid = choice.map(badLabelKey).find((reason) => reason !== undefined);
    const terms = invalid === undefined ? nodes.termsWith(choice) : [];
    if (terms.length > 0) return { terms };
    problem ??= invalid
      ? failed("bad-key", `error parsing topology keys selector: ${invalid}`)
      : failed("no-topology", `topologyKeys ${showKeys(choice)} were not found on any nodes`);
  }
  return problem ?? failed("no-topology", "no available topology found");
}

function failed(problem: TopologyProblem, text: string): Failed {
  return { problem, error: messages.noAccessibility(text) };
}

function showKeys(keys: readonly string[]): string {
  return `[${keys.join(" ")}]`;
}

function showLabels(labels: Labels): string {
  const pairs = Object.keys(labels)
    .sort()
    .map((key) => `${key}:${ownValue(labels, key)}`);
  return `map[${pairs.join(" ")}]`;
}

/** One entry of a StorageClass's `allowedTopologies`. */
export interface TopologySelectorTerm {
  readonly matchLabelExpressions?: readonly { readonly key: string; readonly values?: readonly string[] | null }[] | undefined;
}

/**
 * The topologies that a class allows, written out: for each entry the cross product of its expressions. The first key varies fastest. As
 * upstream has it, an expression without values discards the expressions before it.
 */
export function flattenAllowed(allowed: readonly TopologySelectorTerm[]): readonly Term[] {
  return allowed.flatMap(({ matchLabelExpressions = [] }) => {
    let terms: (readonly Segment[])[] = [];
    for (const { key, values } of matchLabelExpressions) {
      const before = terms.length > 0 ? terms : [[]];
      terms = (values ?? []).flatMap((value) => before.map((term) => [...term, { key, value }]));
    }
    return terms.map(sortedTerm);
  });
}

const labelName = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const labelDomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Why no node label can have this key; `undefined` if one can. */
function badLabelKey(key: string): string | undefined {
  const slash = key.indexOf("/");
  const prefix = slash < 0 ? undefined : key.slice(0, slash);
  const bare = key.slice(slash + 1);
  if (prefix !== undefined && (prefix.length > 253 || !labelDomain.test(prefix))) {
    return `key: Invalid value: "${key}": prefix part must be a lower case domain name of at most 253 characters`;
  }
  if (!labelName.test(bare)) {
    return `key: Invalid value: "${key}": name part must be 1 to 63 letters, digits, '-', '_' or '.' and begin and end with a letter or digit`;
  }
  return undefined;
}
