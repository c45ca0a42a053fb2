import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { installedAssets } from "@csi-sidecars/testcluster";
import { attributesClasses, className } from "../cluster/install-driver.ts";
import { firstNode } from "../cluster/nodes.ts";
import { podFolder } from "../kubelet/pod-volumes.ts";
import type { Playground } from "../playground.ts";
import { keyGroups, keyHelp, keySummary } from "./keys.ts";

/** The pod of example.yaml, and its claim. */
const example = { namespace: "default", name: "app" };
const exampleClaim = "data";
const exampleFile = join(import.meta.dirname, "../example.yaml");
/** A snapshot of that claim, and a claim and a pod that it is restored to. */
const exampleSnapshot = "data";
const snapshotFile = join(import.meta.dirname, "../example-snapshot.yaml");
const restoreFile = join(import.meta.dirname, "../example-restore.yaml");

export interface IntroductionOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Whether keys are read. */
  readonly keyboard: boolean;
  readonly readyMs: number;
}

export interface Introduction {
  readonly full: readonly string[];
  /** The same with the keys first. */
  readonly help: readonly string[];
  /** What each key does; empty where none are read. */
  readonly keys: readonly string[];
  /** For a terminal with few rows; a key shows the help instead. */
  readonly brief: readonly string[];
  /** The lines of both that are meant for a shell. */
  readonly commands: ReadonlySet<string>;
}

/** The addresses and the commands to try: printed once, or kept above the live view. */
export function introduction(playground: Playground, { env, keyboard, readyMs }: IntroductionOptions): Introduction {
  const { cluster, kubeconfig, folder, sidecar, snapshotController, driver } = playground;
  const { name, version, provisions } = driver.info;
  const access = `  export KUBECONFIG=${kubeconfig}`;
  const groups = keyGroups(playground);
  const logs = ["csi-sidecars.log", ...(snapshotController ? ["snapshot-controller.log"] : []), ...(driver.hostpath ? ["driver.log"] : [])];
  const toTry = [access, ...(provisions ? commands(playground, findKubectl(env), keyboard) : [])];
  const keys = keyboard ? keyHelp(groups) : [];
  const facts = [
    `csi-sidecars playground: ready in ${(readyMs / 1000).toFixed(1)} s`,
    `  cluster   ${cluster.url}, ${cluster.title}, ${nodesOf(playground)}`,
    `  driver    ${name} ${version}${driver.hostpath ? "" : ` at ${driver.socket}, yours`}, ${classesOf(playground)}`,
    ...(driver.hostpath ? [] : [`  pods      ${podsOf(playground)}`]),
    `  sidecar   csi-sidecars ${sidecar.flags.join(" ")}`,
    ...(snapshotController
      ? [`  snapshots snapshot-controller ${snapshotController.flags.join(" ")}, ${snapshotClassesOf(playground)}`]
      : []),
    `  logs      ${folder}/${logs.join(", ")}`,
    `  page      ${sidecar.url}/ui: what it works on, and the life of each volume`,
    `  metrics   ${sidecar.url}/metrics, /readyz?verbose, /healthz`,
    "Try",
    ...toTry,
    `  kill -9 the ${driver.hostpath ? "pids" : "pid"} below and see what survives; Ctrl-C ends everything${driver.hostpath ? "" : " but your driver"}`,
    "",
  ];
  const brief = [access, ...(keyboard ? [keySummary(groups)] : []), ""];
  return { full: [...facts.slice(0, -1), ...keys, ""], help: [...keys, "", ...facts], brief, keys, commands: new Set(toTry) };
}

function nodesOf({ nodes }: Playground): string {
  const names = nodes.map(({ name }) => name);
  const named = names.length > 2 ? `${names[0]} to ${names.at(-1)}` : names.join(" and ");
  const zones = new Set(nodes.flatMap(({ zone }) => zone ?? [])).size;
  return zones > 0 ? `${named} in ${zones} zone${zones === 1 ? "" : "s"}` : named;
}

/** What becomes of the volumes of pods with the user's own driver. */
function podsOf({ nodeService, nodes }: Playground): string {
  const why = nodeService.whyNotMounted(firstNode);
  if (why !== undefined) return `run without their volumes: ${why}`;
  const elsewhere = nodes.length > 1 ? `; on other nodes than ${firstNode} they run without` : "";
  return `have their volumes below ${nodeService.folder}, where your driver is asked to mount them${elsewhere}`;
}

function classesOf({ driver: { info, hostpath } }: Playground): string {
  if (!info.provisions) return "which does not provision volumes (no CREATE_DELETE_VOLUME)";
  const attributes = hostpath ? `, VolumeAttributesClasses ${Object.keys(attributesClasses).join(" and ")}` : "";
  return `StorageClass ${className} (default${info.topology ? ", WaitForFirstConsumer" : ""})${attributes}`;
}

const snapshotClassesOf = ({ driver: { info } }: Playground) =>
  `VolumeSnapshotClass ${info.groupSnapshots ? "and VolumeGroupSnapshotClass " : ""}${className} (default)`;

/** Each can be run as it is, in any folder. */
function commands(
  { driver, nodeService, sidecar, programs: { sidecars: program } }: Playground,
  kubectl: string | undefined,
  keyboard: boolean,
): readonly string[] {
  const files = [exampleFile, ...(driver.info.snapshots ? [snapshotFile, restoreFile] : [])];
  if (kubectl !== undefined) {
    return [
      `  ${kubectl} apply -f ${exampleFile}`,
      `  ${kubectl} get pvc,pv,volumeattachment,pod`,
      ...(nodeService.whyNotMounted(firstNode) === undefined ? [`  date >> ${podFolder(nodeService.folder, example)}/data/log`] : []),
      ...(driver.info.expands ? [`  ${kubectl} patch pvc ${exampleClaim} -p '{"spec":{"resources":{"requests":{"storage":"2Gi"}}}}'`] : []),
      ...(driver.hostpath ? [`  ${kubectl} patch pvc ${exampleClaim} -p '{"spec":{"volumeAttributesClassName":"gold"}}'`] : []),
      ...(driver.info.snapshots ? snapshotCommands(kubectl) : []),
      `  ${program} why pvc ${example.namespace}/${exampleClaim}`,
      `  ${program} why`,
      `  ${program} top --url=${sidecar.url}`,
      `  ${program} audit --csi-address=${driver.socket}`,
      `  ${kubectl} delete ${files
        .toReversed()
        .map((file) => `-f ${file}`)
        .join(" ")}`,
    ];
  }
  return keyboard ? [] : ["  npm start -- --demo"];
}

const snapshotCommands = (kubectl: string): readonly string[] => [
  `  ${kubectl} apply -f ${snapshotFile}`,
  `  ${kubectl} wait --for=jsonpath={.status.readyToUse}=true vs/${exampleSnapshot}`,
  `  ${kubectl} apply -f ${restoreFile}`,
  `  ${kubectl} get vs,vsc`,
];

/** How to call kubectl: by name where it is on the PATH, by path where only the control plane for tests has it. */
function findKubectl(env: NodeJS.ProcessEnv): string | undefined {
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  if (folders.some((folder) => ["kubectl", "kubectl.exe"].some((name) => existsSync(join(folder, name))))) return "kubectl";
  const assets = installedAssets(env);
  return assets && join(assets, "kubectl");
}
