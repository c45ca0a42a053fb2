import { isRecord } from "@csi-sidecars/base";
import type { Component, SidecarProgram } from "@csi-sidecars/host";
import { isMap, type YAMLMap } from "yaml";
import { entriesAt, type Fields, fieldsAt, listAt, textAt } from "./container.ts";
import { argumentComments, containerNode } from "./container-node.ts";
import { groupByDriver } from "./group-by-driver.ts";
import { type LegacySidecar, readSidecar } from "./legacy-sidecar.ts";
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
  /** One for each driver of the pods; none where nothing could be replaced. */
  readonly parts: readonly TranslatedPart[];
  readonly rbac?: RbacDifference;
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
}

/** The sidecars of one driver, and the container in their place. */
export interface TranslatedPart {
  /** The names of the containers that were replaced. */
  readonly replaced: readonly string[];
  readonly container: NewContainer;
  readonly replacement: Replacement;
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
  if (sidecars.length === 0) return warnings.length > 0 ? { workload, parts: [], warnings, notes: [] } : undefined;
  if (found.some(({ what }) => what?.is === "csi-sidecars")) {
    const names = sidecars.map(({ sidecar }) => sidecar.name).join(", ");
    return {
      workload,
      parts: [],
      warnings: [
        ...warnings,
        `there is a container of csi-sidecars already: add what ${names} does to its --controllers and flags by hand`,
      ],
      notes: [],
    };
  }
  const taken = found.map(({ container }) => textAt(container, "name"));
  const groups = groupByDriver(sidecars, warnings);
  const parts = groups.map(({ members }, at): TranslatedPart => {
    const legacy = members.map(({ sidecar }) => sidecar);
    const name = freeName(at, taken);
    const container = mergeSidecars(legacy, { name, program, image, pod: workload.pod, overlaps: mayOverlap(workload) });
    const nodeOf = (sidecar: LegacySidecar) => containers[members.find((each) => each.sidecar === sidecar)?.place ?? -1];
    return {
      replaced: legacy.map((sidecar) => sidecar.name),
      container,
      replacement: { places: members.map(({ place }) => place), container: containerNode(container, nodeOf) },
    };
  });
  const made = parts.map(({ container }) => container);
  const replaced = parts.flatMap((part) => part.replaced);
  const rbac = compareRoles(manifests, workload, made, program);
  const versions = versionNotes(groups.flatMap(({ members }) => members.map(({ sidecar }) => sidecar)));
  const gone = { ports: made.flatMap(({ lostPorts }) => lostPorts), containers: replaced };
  return {
    workload,
    parts,
    rbac,
    warnings: [
      ...warnings,
      ...made.flatMap((container) => container.warnings),
      ...versions.warnings,
      ...annotationWarnings(workload, replaced),
      ...danglingReferences(manifests, workload, gone),
      ...podWarnings(workload, made),
    ],
    notes: [
      ...groups
        .slice(1)
        .map(({ socket }, at) => `${made[at + 1]?.name} is for the driver at ${socket}, csi-sidecars for the one at ${groups[0]?.socket}`),
      ...made.flatMap((container) => container.notes),
      ...rbac.notes,
      ...versions.notes,
    ],
  };
}

/** `csi-sidecars`, `csi-sidecars-2` and so on. */
function freeName(at: number, taken: readonly (string | undefined)[]): string {
  const name = at === 0 ? "csi-sidecars" : `csi-sidecars-${at + 1}`;
  return taken.includes(name) ? `${name}-new` : name;
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

function podWarnings({ pod }: Workload, made: readonly NewContainer[]): readonly string[] {
  return [
    ...(pod.hostNetwork === true && made.flatMap(({ words }) => words).some((word) => /^--[a-z-]*http-endpoint=(0\.0\.0\.0)?:/.test(word))
      ? ["hostNetwork: the HTTP server listens on all addresses of the node; bind it to localhost if only the kubelet asks it"]
      : []),
    ...(made.some(({ fields }) => isIsolatedOnWindows(pod, new Map(fields).get("securityContext")))
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
