import { parseBoolean, quantityBytes } from "../parse-values.ts";
import type { Settings } from "../settings.ts";

/** What the command line asks for, while it is read. */
export interface CommandLine {
  readonly settings: { -readonly [K in keyof Settings]?: Settings[K] };
  proxyEndpoint: string;
  version: boolean;
  help: boolean;
  verbosity: number;
  secretsRequiredFile: string;
}

/** A value that is not one of the choices. The Go driver checks that after parsing the command line, and exits with 1 instead of 2. */
export class InvalidChoice extends Error {}

/** One flag: how its value changes the command line. */
export interface Flag {
  readonly help: string;
  /** A boolean needs no value. */
  readonly bare?: boolean;
  set(line: CommandLine, value: string): void;
}

type Keys<T> = { [K in keyof Settings]: Settings[K] extends T ? (T extends Settings[K] ? K : never) : never }[keyof Settings];

const text = (key: Keys<string>, help: string): Flag => ({
  help,
  set: ({ settings }, value) => {
    settings[key] = value;
  },
});

const bool = (key: Keys<boolean>, help: string, negated = false): Flag => ({
  help,
  bare: true,
  set: ({ settings }, value) => {
    settings[key] = boolean(value) !== negated;
  },
});

const int = (key: Keys<bigint>, help: string, least = 0n): Flag => ({
  help,
  set: ({ settings }, value) => {
    const number = /^[+-]?\d+$/.test(value) ? BigInt(value.replace("+", "")) : undefined;
    if (number === undefined || number < least || number >= 1n << 63n)
      throw new Error(`expected an integer of 64 bits that is not below ${least}`);
    settings[key] = number;
  },
});

const choice = <K extends "mountMode" | "backend" | "expansionMode" | "snapshotMetadataBlockType" | "unattachedStageCode">(
  key: K,
  choices: readonly (Settings[K] & string)[],
  help: string,
): Flag => ({
  help: `${help} (${choices.join(", ")})`,
  set: ({ settings }, value) => {
    const chosen = choices.find((candidate) => candidate === value);
    if (chosen === undefined) throw new InvalidChoice(`use one of ${choices.join(", ")}`);
    settings[key] = chosen;
  },
});

const names = (key: "otherNodes" | "acceptedMutableParameters", help: string): Flag => ({
  help,
  set: ({ settings }, value) => {
    const items = value.split(",").map((item) => item.trim());
    settings[key] = [...(settings[key] ?? []), ...items.filter((item) => item !== "")];
  },
});

/** `key=value`, or what `form` says of it. */
function pair(value: string, form: string): [key: string, value: string] {
  const [, key, rest] = /^([^=]+)=(.+)$/s.exec(value) ?? [];
  if (key === undefined || rest === undefined) throw new Error(`must be of format ${form}`);
  return [key, rest];
}

const ignored: Flag = { help: "accepted, without effect", set() {} };
const ignoredSwitch: Flag = { ...ignored, bare: true };

/** Every flag by name: those of the Go driver first, then our own. */
export const flagTable: Readonly<Record<string, Flag>> = {
  endpoint: text("endpoint", "CSI endpoint: unix://PATH or tcp://HOST:PORT (default: $CSI_ENDPOINT or unix:///tmp/csi.sock)"),
  drivername: text("driverName", "name of the driver (default: hostpath.csi.k8s.io)"),
  statedir: text("stateDir", "directory for volumes, snapshots and state (default: /csi-data-dir)"),
  nodeid: text("nodeId", "id of this node; required"),
  ephemeral: bool("ephemeral", "publish every volume in ephemeral mode; deprecated"),
  maxvolumespernode: int("maxVolumesPerNode", "limit of volumes per node in NodeGetInfo (default: 0, none)"),
  "attach-limit": int("attachLimit", "limit of attached volumes that is reported and enforced; -1: a random one (default: 0, none)", -1n),
  capacity: {
    help: "simulated pool, KIND=QUANTITY; may be repeated",
    set: ({ settings }, value) => {
      const [kind, size] = pair(value, "<type>=<size>");
      settings.capacity = { ...settings.capacity, [kind]: quantityBytes(size) };
    },
  },
  "enable-attach": bool("attach", "serve ControllerPublishVolume and ControllerUnpublishVolume"),
  "check-volume-lifecycle": bool("checkVolumeLifecycle", "fail calls that come out of order instead of logging them"),
  "max-volume-size": int("maxVolumeSize", "largest volume in bytes (default: 1 TiB)"),
  "max-volume-size-node": int("maxVolumeSizeNode", "largest size that NodeExpandVolume accepts (default: 0, as max-volume-size)"),
  "enable-topology": bool("topology", "report topology (default: true)"),
  "enable-volume-expansion": bool("expansion", "serve expansion (default: true)"),
  "node-expand-required": bool("expansion", "deprecated: the same as enable-volume-expansion"),
  "disable-controller-expansion": bool("controllerExpansion", "do not serve ControllerExpandVolume", true),
  "disable-node-expansion": bool("nodeExpansion", "do not serve NodeExpandVolume", true),
  "enable-controller-modify-volume": bool("modify", "serve ControllerModifyVolume"),
  "accepted-mutable-parameter-names": names("acceptedMutableParameters", "comma-separated names of mutable parameters (default: all)"),
  "enable-snapshot-metadata": bool("snapshotMetadata", "serve SnapshotMetadata"),
  "snapshot-metadata-block-type": choice("snapshotMetadataBlockType", ["FIXED_LENGTH", "VARIABLE_LENGTH"], "kind of block metadata"),
  "enable-list-snapshots": bool("listSnapshots", "serve ListSnapshots (default: true)"),
  "proxy-endpoint": {
    help: "forward connections on endpoint to those that arrive here, instead of being a driver",
    set: (line, value) => {
      line.proxyEndpoint = value;
    },
  },
  version: {
    help: "print the version and exit",
    bare: true,
    set: (line, value) => {
      line.version = boolean(value);
    },
  },
  v: {
    help: "verbosity: 3 names of calls, 4 operations, 5 requests and answers",
    set: (line, value) => {
      if (!/^-?\d+$/.test(value)) throw new Error("expected an integer");
      line.verbosity = Number(value);
    },
  },
  automaxprocs: ignoredSwitch,
  logtostderr: ignoredSwitch,
  alsologtostderr: ignoredSwitch,
  add_dir_header: ignoredSwitch,
  legacy_stderr_threshold_behavior: ignoredSwitch,
  one_output: ignoredSwitch,
  skip_headers: ignoredSwitch,
  skip_log_headers: ignoredSwitch,
  stderrthreshold: ignored,
  alsologtostderrthreshold: ignored,
  log_backtrace_at: ignored,
  log_dir: ignored,
  log_file: ignored,
  log_file_max_size: ignored,
  vmodule: ignored,
  "mount-mode": choice("mountMode", ["auto", "bind", "symlink", "none"], "how volumes are published; default auto"),
  backend: choice("backend", ["disk", "memory"], "where volumes are kept; default disk"),
  nodes: names("otherNodes", "comma-separated ids of further nodes that this process serves: volumes can be attached to them and staged"),
  zones: {
    help: "comma-separated NODE=ZONE of all nodes: volumes are created in a zone, for its nodes (default: none, for this node only)",
    set: ({ settings }, value) => {
      const pairs = value.split(",").map((item) => pair(item.trim(), "<node>=<zone>,..."));
      settings.zones = { ...settings.zones, ...Object.fromEntries(pairs) };
    },
  },
  "published-nodes": bool("publishedNodes", "list the nodes that volumes are attached to (LIST_VOLUMES_PUBLISHED_NODES)"),
  "publish-readonly": bool("publishReadonly", "advertise PUBLISH_READONLY"),
  "publish-context": {
    help: "entry of the context that ControllerPublishVolume answers, KEY=VALUE; may be repeated",
    set: ({ settings }, value) => {
      const [key, entry] = pair(value, "<key>=<value>");
      settings.publishContext = { ...settings.publishContext, [key]: entry };
    },
  },
  "disable-get-volume": bool("getVolume", "do not serve ControllerGetVolume", true),
  "disable-list-volumes": bool("listVolumes", "do not serve ListVolumes", true),
  "disable-volume-condition": bool("volumeCondition", "do not report the condition of volumes", true),
  "volume-mount-group": bool("volumeMountGroup", "advertise VOLUME_MOUNT_GROUP"),
  "volume-health": bool("volumeHealth", "serve the health RPCs of CSI 1.13"),
  "snapshot-topology": bool("snapshotTopology", "report the topology of snapshots as CSI 1.13 does"),
  "expansion-mode": choice("expansionMode", ["online", "offline", "none"], "plugin capability VolumeExpansion; default none"),
  "disable-group-snapshot": bool("groupSnapshots", "do not serve group snapshots", true),
  "unattached-stage-code": choice("unattachedStageCode", ["Internal", "FailedPrecondition"], "code for staging what is not attached"),
  faults: text("faultsFile", "file with fault rules, read again when it changes"),
  "control-endpoint": text("controlEndpoint", "unix:///PATH of the control API (default: none)"),
  "call-log": text("callLogFile", "file to which each call is appended"),
  "record-secrets": bool("recordSecrets", "show secrets in recorded calls"),
  "secrets-required": {
    help: "file with the secrets each RPC must bring: {RPC: {key: value}}",
    set: (line, value) => {
      line.secretsRequiredFile = value;
    },
  },
  "vendor-version": text("vendorVersion", "version in GetPluginInfo"),
};

function boolean(value: string): boolean {
  const read = parseBoolean(value);
  if (read === undefined) throw new Error("expected true or false");
  return read;
}
