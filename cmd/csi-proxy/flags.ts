import { isAbsolute } from "node:path";
import { messageOf } from "@csi-sidecars/base";
import { groupVersions } from "@csi-sidecars/csi-proxy/server";
import {
  aboveZero,
  bool,
  choice,
  type Flag,
  type FlagOwner,
  type FlagTable,
  type FlagValues,
  int,
  klogFlags,
  list,
  notBelowZero,
  type Program,
  parsed,
  parseListenAddress,
  text,
} from "@csi-sidecars/host/plain-program";

/** A flag that is given once for each value; a comma is part of a path. */
function paths(help: string): Flag<readonly string[]> {
  return {
    type: "string",
    initial: [],
    help,
    parse: (path) => parsed([path]),
    format: (all) => all.join(" "),
    merge: (a, b) => [...a, ...b],
  };
}

/** Upstream's flags, by upstream's names and defaults. */
const upstreamFlags = {
  "kubelet-path": text("C:\\var\\lib\\kubelet", "Folder of the kubelet on the node: clients may work below it."),
  "working-dir": paths("A further folder of the node below which clients may work. May be given several times."),
  "windows-service": bool(false, "Accepted for service wrappers; the process itself does not talk to the service manager."),
  "require-privacy": bool(true, "Create SMB mappings with RequirePrivacy, so that what they transfer is encrypted."),
  "metrics-bind-address": text("", "Address (host:port) where /metrics and /healthz are served; empty for no server.", {
    check: listenAddress,
  }),
} satisfies FlagTable;

/** What upstream does not have. */
const ownFlags = {
  "endpoint-dir": text("", "Folder for unix sockets csi-proxy-<group>-<version>.sock in place of named pipes. Required except on Windows."),
  groups: list([], "API groups to serve, as group or group/version; all unless given. Fewer endpoints are less to attack.", {
    check: knownGroups,
  }),
  powershell: text("", "Absolute path of the PowerShell program; the one of Windows unless given.", { check: absolutePath }),
  "powershell-mode": choice(
    ["auto", "session", "oneshot"],
    "auto",
    "How operations run: session keeps PowerShell running, oneshot starts it for each; auto is session on Windows.",
  ),
  "powershell-concurrency": int(3, "How many PowerShell operations run at the same time; sessions are never more than 3.", {
    check: aboveZero,
  }),
  "dev-host-root": text("", "Except on Windows: the folder in which X:\\a\\b is <folder>/X/a/b, to try the filesystem API elsewhere."),
  "strict-volume-paths": bool(false, "Keep the target paths of volumes below the kubelet's folder and the working directories, too."),
} satisfies FlagTable;

/** Those of klog's flags that do something here; the others are accepted. */
const logFlags = {
  ...klogFlags,
  logtostderr: bool(true, "Log to stderr; false logs to --log_file."),
  alsologtostderr: bool(false, "Log to stderr, too, where --log_file is used. Errors always go there."),
  log_file: text("", "File to log to, with --logtostderr=false."),
  log_file_max_size: int(1800, "Size in megabytes at which the log file starts anew; 0 for no limit.", { check: notBelowZero }),
} satisfies FlagTable;

const flags = { ...upstreamFlags, ...ownFlags, ...logFlags } satisfies FlagTable;

/** The flags of the command line. */
export type CsiProxyFlags = FlagValues<typeof flags>;

export const csiProxyFlags: FlagOwner<typeof flags> = { name: "csi-proxy", flags, processFlags: ["version", "v", "vmodule"] };

/** What the command line is read for. */
export const program: Program = {
  form: "individual",
  name: "csi-proxy",
  about:
    "Works on the disks, volumes, folders and SMB shares of a Windows node for CSI drivers in containers, which call it through named pipes.",
  component: csiProxyFlags,
};

function listenAddress(address: string): string | undefined {
  if (address === "") return undefined;
  try {
    parseListenAddress(address);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function absolutePath(path: string): string | undefined {
  return path === "" || isAbsolute(path) ? undefined : "not an absolute path";
}

function knownGroups(selection: readonly string[]): string | undefined {
  const known = new Set(groupVersions.flatMap(({ group, version }) => [group, `${group}/${version}`]));
  const unknown = selection.filter((item) => !known.has(item));
  return unknown.length === 0 ? undefined : `csi-proxy has no API ${unknown.join(", ")}; there are ${[...known].join(", ")}`;
}
