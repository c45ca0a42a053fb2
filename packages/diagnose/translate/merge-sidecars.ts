import { isRecord } from "@csi-sidecars/base";
import { type Component, readCommandLine, type SidecarProgram } from "@csi-sidecars/host";
import { commandLineOf, planProcess } from "@csi-sidecars/host/sub-commands";
import { alike, entriesAt, expand, type Fields, hasUnknown, staticVariables, textAt } from "./container.ts";
import { mergeElection, podVariables } from "./election-merge.ts";
import { isServedBy, mergeEndpoints } from "./endpoints.ts";
import { type Argument, mergeProcessFlags, mergeSharedFlags, prefixSpecificFlags } from "./flag-merge.ts";
import { mergeGates } from "./gate-merge.ts";
import type { LegacySidecar } from "./legacy-sidecar.ts";
import { type Item, mergeAlike, mergeMounts, mergeVariables, withVariables } from "./merge-lists.ts";
import { type LostPort, mergePorts } from "./ports.ts";
import { mergeProbes, suggestedProbe } from "./probes.ts";
import { suggestResources } from "./resources.ts";
import { mergeSecurityContexts } from "./security-context.ts";

/** What the container of csi-sidecars is made of, field by field in the order of the manifest. */
export interface NewContainer {
  readonly name: string;
  readonly image: string;
  readonly controllers: readonly Component[];
  readonly args: readonly { readonly word: string; readonly comments: readonly string[] }[];
  readonly fields: readonly (readonly [name: string, value: unknown])[];
  readonly items: readonly (readonly [name: string, items: readonly Item[]])[];
  readonly extraVariables: readonly Fields[];
  /** The arguments as the process gets them, as far as the manifest tells. */
  readonly words: readonly string[];
  readonly elects: boolean;
  readonly lostPorts: readonly LostPort[];
  readonly listensOn: readonly number[];
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
}

export interface MergeOptions {
  /** Of the new container. */
  readonly name: string;
  readonly program: SidecarProgram;
  readonly image: string;
  /** The `spec` of the pods that the sidecars are in. */
  readonly pod: Fields;
  /** Whether old and new pods of the workload may run at the same time. */
  readonly overlaps: boolean;
}

/** One container for these sidecars, which talk to the same driver. */
export function mergeSidecars(sidecars: readonly LegacySidecar[], { name, program, image, pod, overlaps }: MergeOptions): NewContainer {
  const names = new Set(sidecars.map(({ component }) => component.name));
  const controllers = program.components.filter(({ name }) => names.has(name));
  const process = mergeProcessFlags(sidecars);
  const gates = mergeGates(sidecars, program);
  const endpoints = mergeEndpoints(sidecars);
  const ports = mergePorts(sidecars, endpoints);
  const election = mergeElection(sidecars, { pod, overlaps });
  const args: readonly Argument[] = [
    { flag: "controllers", text: controllers.map(({ name }) => name).join(","), comments: [] },
    ...process.args.filter(({ flag }) => flag === "csi-address"),
    ...election.args,
    ...process.args.filter(({ flag }) => flag !== "csi-address"),
    ...mergeSharedFlags(sidecars),
    ...prefixSpecificFlags(sidecars, (sidecar, flag) => isServedBy(endpoints, sidecar, flag)),
    ...gates.args,
    ...endpoints.args,
  ];
  const variables = mergeVariables(sidecars);
  const merged = staticVariables({ env: variables.items.map(({ value }) => value) });
  const words = args.map(({ flag, text, from, comments }) => ({ word: `--${flag}=${withVariables(text, from, merged)}`, comments }));
  const expanded = words.map(({ word }) => expand(word, merged));
  const mounts = mergeMounts(sidecars, (item) => isMountNeeded(item, expanded, sidecars));
  const security = mergeSecurityContexts(sidecars, pod);
  const resources = suggestResources(sidecars);
  const probes = (["livenessProbe", "readinessProbe", "startupProbe"] as const).map((name) => ({
    name,
    ...mergeProbes(sidecars, name, endpoints),
  }));
  const suggested = probes.some(({ probe }) => probe) ? undefined : suggestedProbe(endpoints);
  const others = otherFields(sidecars);
  return {
    name,
    image,
    controllers,
    args: words,
    words: expanded,
    elects: election.args.length > 0,
    fields: [
      ...others.fields.filter(([name]) => name === "imagePullPolicy"),
      ...probes.flatMap(({ name, probe }) => (probe ? [[name, probe] as const] : [])),
      ...(suggested ? [["livenessProbe", suggested] as const] : []),
      ["resources", resources.resources],
      ...(security.context ? [["securityContext", security.context] as const] : []),
      ...others.fields.filter(([name]) => name !== "imagePullPolicy"),
    ],
    items: [
      ["env", variables.items],
      ["envFrom", mergeAlike(sidecars, "envFrom")],
      ["ports", ports.items],
      ["volumeMounts", mounts.items],
      ["volumeDevices", mergeAlike(sidecars, "volumeDevices")],
    ],
    extraVariables: election.args.length > 0 ? podVariables(variables.items) : [],
    lostPorts: ports.lost,
    listensOn: [endpoints.shared?.port, ...endpoints.own.values()].filter((port) => port !== undefined),
    warnings: [
      ...sidecars.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`)),
      ...election.warnings,
      ...process.warnings,
      ...gates.warnings,
      ...variables.warnings,
      ...ports.warnings,
      ...mounts.warnings,
      ...security.warnings,
      ...probes.flatMap((probe) => probe.warnings),
      ...others.warnings,
      ...refusals(expanded, program),
    ],
    notes: [
      resources.note,
      ...probes.flatMap((probe) => probe.notes),
      ...(suggested ? ["a livenessProbe of the process is added: GET /livez"] : []),
      ...[...endpoints.moved].map(
        ([{ name }, port]) => `what ${name} served on port ${port ?? "?"} is served at ${endpoints.shared?.address} now`,
      ),
    ],
  };
}

/** Containers mount the folder of the socket in different places: one of them is enough. */
function isMountNeeded({ sidecar, value, at }: Item, words: readonly string[], sidecars: readonly LegacySidecar[]): boolean {
  const path = textAt(value, "mountPath") ?? "";
  const folder = path.replace(/[/\\]$/, "");
  const uses = (text: string) =>
    text === path || [`${folder}/`, `${folder}\\`].some((start) => text.replace(/^unix:(\/\/)?/, "").startsWith(start));
  if (words.some((word) => uses(word.slice(word.indexOf("=") + 1)))) return true;
  const isSocketFolder = uses(sidecar.given.get("csi-address")?.value ?? "");
  const elsewhere = sidecars.some((other) =>
    entriesAt(other.container, "volumeMounts").some(([place, mount]) => mount.name === value.name && (other !== sidecar || place !== at)),
  );
  return !isSocketFolder || !elsewhere;
}

const handled: ReadonlySet<string> = new Set([
  ...["name", "image", "command", "args", "env", "envFrom", "ports", "volumeMounts", "volumeDevices", "resources", "securityContext"],
  ...["livenessProbe", "readinessProbe", "startupProbe", "lifecycle"],
]);

/** The fields that say how a container runs: the first sidecar's. */
function otherFields(sidecars: readonly LegacySidecar[]) {
  const warnings: string[] = [];
  const fields = new Map<string, unknown>();
  for (const { name, container } of sidecars) {
    if (isRecord(container.lifecycle))
      warnings.push(
        `lifecycle of ${name} is left out: csi-sidecars removes its registration socket and releases its lease itself, and its image has no shell`,
      );
    for (const [field, value] of Object.entries(container)) {
      if (handled.has(field)) continue;
      if (!fields.has(field)) fields.set(field, value);
      else if (!alike(fields.get(field), value))
        warnings.push(`${field} is ${JSON.stringify(fields.get(field))}; in ${name} it was ${JSON.stringify(value)}`);
    }
  }
  return { fields: [...fields] as readonly (readonly [string, unknown])[], warnings };
}

/**
 * What the new program says to its arguments. A variable whose value the manifest does not tell may have any: only what is wrong both with
 * its flag and without is wrong whatever it is. A number cannot be read at all then, so it is left out.
 */
function refusals(words: readonly string[], program: SidecarProgram): readonly string[] {
  const without = problemsOf(
    words.filter((word) => !hasUnknown(word)),
    program,
  );
  const readable = words.filter((word) => !hasUnknown(word) || readCommandLine(commandLineOf(program), [word]).asks === "run");
  const asWritten = new Set(problemsOf(readable, program));
  return without
    .filter((problem) => asWritten.has(problem))
    .map((problem) => `csi-sidecars will not start with these arguments: ${problem}`);
}

function problemsOf(words: readonly string[], program: SidecarProgram): readonly string[] {
  const line = readCommandLine(commandLineOf(program), words);
  if (line.asks === "help") return [];
  return line.asks === "nothing" ? [line.misuse] : [...line.settings.problems, ...planProcess(program, line.settings).problems];
}
