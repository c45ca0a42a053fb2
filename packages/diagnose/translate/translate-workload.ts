import { isRecord } from "@csi-sidecars/base";
import type { Component, SidecarProgram } from "@csi-sidecars/host";
import { isMap, type YAMLMap } from "yaml";
import { entriesAt, type Fields, fieldsAt, listAt, textAt } from "./container.ts";
import { argumentComments, containerNode } from "./container-node.ts";
import { type LegacySidecar, readSidecar, socketOf } from "./legacy-sidecar.ts";
import type { Manifest, Workload } from "./manifests.ts";
import { mergeSidecars, type NewContainer } from "./merge-sidecars.ts";
import { annotationWarnings } from "./pod-annotations.ts";
import { compareRoles, type RbacDifference } from "./rbac-difference.ts";
import { isCalledLikeSidecar, type Recognised, recognise, sidecarsMadeBy } from "./recognise.ts";
import { danglingReferences } from "./references.ts";
import type { Replacement } from "./replace-containers.ts";
import { versionNotes } from "./versions.ts";

/** What became of the sidecars of one workload. */
export interface Translation {
  readonly workload: Workload;
  /** The names of the containers that were replaced; empty where nothing could be. */
  readonly replaced: readonly string[];
  readonly container?: NewContainer;
  readonly replacement?: Replacement;
  readonly rbac?: RbacDifference;
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
}

export interface TranslateOptions {
  readonly program: SidecarProgram;
  readonly image: string;
  /** Everything in the input: roles, services. */
  readonly manifests: readonly Manifest[];
}

/** Translates a workload; `undefined` where it has no legacy sidecar. */
export function translateWorkload(workload: Workload, { program, image, manifests }: TranslateOptions): Translation | undefined {
  const containers = workload.containers.items.map((item) => (isMap(item) ? (item as YAMLMap) : undefined));
  const { components, separate = [] } = program;
  const found = entriesAt(workload.pod, "containers").map(([place, container]) => ({
    place,
    container,
    what: recognise(container, components, separate),
  }));
  const warnings = [...leftAlone(found, workload, components, separate)];
  const sidecars: { readonly place: number; readonly sidecar: LegacySidecar }[] = [];
  for (const { place, container, what } of found) {
    const node = containers[place];
    if (what?.is === "sidecar") sidecars.push({ place, sidecar: readSidecar(container, what, node ? argumentComments(node) : new Map()) });
  }
  if (sidecars.length === 0) return warnings.length > 0 ? { workload, replaced: [], warnings, notes: [] } : undefined;
  if (found.some(({ what }) => what?.is === "csi-sidecars")) {
    const names = sidecars.map(({ sidecar }) => sidecar.name).join(", ");
    return {
      workload,
      replaced: [],
      warnings: [
        ...warnings,
        `there is a container of csi-sidecars already: add what ${names} does to its --controllers and flags by hand`,
      ],
      notes: [],
    };
  }
  const chosen = withOneDriver(sidecars, warnings);
  const legacy = chosen.map(({ sidecar }) => sidecar);
  const container = mergeSidecars(legacy, { program, image, pod: workload.pod, overlaps: mayOverlap(workload) });
  const nodeOf = (sidecar: LegacySidecar) => containers[chosen.find((each) => each.sidecar === sidecar)?.place ?? -1];
  const rbac = compareRoles(manifests, workload, container, program);
  const versions = versionNotes(legacy);
  const replaced = legacy.map(({ name }) => name);
  return {
    workload,
    replaced,
    container,
    replacement: { places: chosen.map(({ place }) => place), container: containerNode(container, nodeOf) },
    rbac,
    warnings: [
      ...warnings,
      ...container.warnings,
      ...versions.warnings,
      ...annotationWarnings(workload, replaced),
      ...danglingReferences(manifests, workload, { ports: container.lostPorts, containers: replaced }),
      ...podWarnings(workload, container),
    ],
    notes: [...container.notes, ...rbac.notes, ...versions.notes],
  };
}

type Found = readonly { readonly container: Readonly<Record<string, unknown>>; readonly what: Recognised | undefined }[];

function leftAlone(
  found: Found,
  { pod }: Workload,
  components: readonly Component[],
  separate: SidecarProgram["separate"],
): readonly string[] {
  const init = listAt(pod, "initContainers").map((container) => ({ container, what: recognise(container, components, separate ?? []) }));
  return [
    ...found.flatMap(({ container, what }) => {
      const name = textAt(container, "name") ?? "";
      if (what?.is === "wrapped") return [`${name} is left as it is: it is started by ${what.command}, so its flags are not known`];
      if (what?.is === "separate")
        return [`${name} is left as it is: ${what.name} is a program of its own${what.where ? `, ${what.where}` : ""}`];
      if (!what && isCalledLikeSidecar(name, components))
        return [
          `${name} is left as it is: its image, ${textAt(container, "image") ?? "none"}, has no name of a sidecar; put the name in, then translate again`,
        ];
      const made = what ? [] : sidecarsMadeBy(container, components).map(({ standalone }) => standalone);
      return made.length > 0
        ? [
            `${name} is left as it is: it names images of ${made.join(", ")}, so it makes their containers itself, and its settings decide which`,
          ]
        : [];
    }),
    ...init.flatMap(({ container, what }) =>
      what?.is === "sidecar" || what?.is === "wrapped"
        ? [`${textAt(container, "name") ?? ""} is left as it is: it is an init container; move it to the containers, then translate again`]
        : [],
    ),
  ];
}

/** A process talks to one driver, and runs each controller once: the sidecars of the first socket, each kind once. */
function withOneDriver<T extends { readonly sidecar: LegacySidecar }>(sidecars: readonly T[], warnings: string[]): readonly T[] {
  const [first] = sidecars.flatMap(({ sidecar }) => socketOf(sidecar) ?? []);
  const chosen: T[] = [];
  for (const each of sidecars) {
    const { name, component } = each.sidecar;
    const socket = socketOf(each.sidecar);
    const twin = chosen.find(({ sidecar }) => sidecar.component === component);
    if (socket !== undefined && socket !== first)
      warnings.push(`${name} is left as it is: it talks to another socket (${socket}) than the others (${first})`);
    else if (twin)
      warnings.push(
        `${name} is left as it is: ${twin.sidecar.name} is a ${component.standalone} too, and a process runs each controller once`,
      );
    else chosen.push(each);
  }
  return chosen;
}

/** Whether an old and a new pod may run at the same time during a roll-out. */
function mayOverlap({ object, kind }: Workload): boolean {
  if (kind === "DaemonSet") return true;
  const spec = object.spec as {
    readonly replicas?: unknown;
    readonly strategy?: { readonly type?: unknown; readonly rollingUpdate?: { readonly maxSurge?: unknown } };
  };
  if (kind === "Deployment" && spec.strategy?.type === "Recreate") return false;
  if ((spec.replicas ?? 1) !== 1) return true;
  return kind === "Deployment" && String(spec.strategy?.rollingUpdate?.maxSurge ?? "25%") !== "0";
}

function podWarnings({ pod }: Workload, { elects, words, fields }: NewContainer): readonly string[] {
  const grace = Number(pod.terminationGracePeriodSeconds ?? 30);
  return [
    ...(elects && grace < 30
      ? [
          `terminationGracePeriodSeconds is ${grace}: less than --shutdown-timeout (30s), so calls in flight may be cut off and the lease not released`,
        ]
      : []),
    ...(pod.hostNetwork === true && words.some((word) => /^--[a-z-]*http-endpoint=(0\.0\.0\.0)?:/.test(word))
      ? ["hostNetwork: the HTTP server listens on all addresses of the node; bind it to localhost if only the kubelet asks it"]
      : []),
    ...(isIsolatedOnWindows(pod, new Map(fields).get("securityContext"))
      ? [
          "the image of csi-sidecars for Windows is for HostProcess containers, which these are not: build one of csi-sidecars.exe on a base image of Windows",
        ]
      : []),
  ];
}

/** Whether a container has a Windows system of its own, which its image has to bring along. */
function isIsolatedOnWindows(pod: Fields, ofContainer: unknown): boolean {
  const onWindows = fieldsAt(pod, "os")?.name === "windows" || fieldsAt(pod, "nodeSelector")?.["kubernetes.io/os"] === "windows";
  const hostProcess = [ofContainer, pod.securityContext].map((context) =>
    isRecord(context) ? fieldsAt(context, "windowsOptions")?.hostProcess : undefined,
  );
  return onWindows && !hostProcess.includes(true);
}
