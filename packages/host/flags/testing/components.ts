import { aboveZero } from "../flag.ts";
import { bool, duration, float, int, retired, text, uint } from "../flag-types.ts";
import type { FlagOwner, Program } from "../program.ts";
import { kubeApiFlags, loggingFlagNames, retryFlags, sidecarFlagNames } from "../standard-flags.ts";

const timeout = (initial: string) => ({ timeout: duration(initial, "Limit of a call.", { follows: "timeout" }) });
const positive = { follows: "worker-threads", check: aboveZero };
const shared = (name: string) => ({ [name]: bool(false, "Shared by two.", { follows: name }) });

/** The flags of the upstream sidecars at the releases this project follows, to prove the machinery on all of them. */
export const attacher = {
  name: "attacher",
  aliases: ["csi-attacher", "external-attacher"],
  onByDefault: true,
  processFlags: [...sidecarFlagNames, "feature-gates", "max-grpc-log-length"],
  flags: {
    ...timeout("15s"),
    ...retryFlags,
    ...kubeApiFlags,
    "worker-threads": uint(10, "Workers.", positive),
    resync: duration("10m", "Resync.", { follows: "resync" }),
    "reconcile-sync": duration("1m", "Period of the reconciler."),
    "max-entries": int(0, "Page size."),
    "default-fstype": text("", "Published file system."),
  },
} satisfies FlagOwner;

export const provisioner = {
  name: "provisioner",
  aliases: ["csi-provisioner", "external-provisioner"],
  onByDefault: true,
  processFlags: [...sidecarFlagNames, "feature-gates", "master", "enable-pprof"],
  flags: {
    ...timeout("10s"),
    ...retryFlags,
    ...kubeApiFlags,
    ...shared("extra-create-metadata"),
    ...shared("node-deployment"),
    "worker-threads": uint(100, "Workers.", { follows: "worker-threads" }),
    "volume-name-prefix": text("pvc", "Prefix."),
    "volume-name-uuid-length": int(-1, "Length."),
    "cloning-protection-threads": uint(1, "Workers."),
    "snapshot-orphan-sweep-interval": duration("5m", "Sweep."),
    "capacity-threads": uint(1, "Workers."),
    "strict-topology": bool(false, "Strict."),
    "immediate-topology": bool(true, "Immediate."),
    "default-fstype": text("", "File system of new volumes."),
    "kube-api-capacity-qps": float(1, "Rate."),
    "kube-api-capacity-burst": int(5, "Burst."),
    "enable-capacity": bool(false, "Capacity."),
    "capacity-for-immediate-binding": bool(false, "Capacity."),
    "capacity-poll-interval": duration("1m", "Capacity."),
    "capacity-ownerref-level": int(1, "Capacity."),
    "node-deployment-immediate-binding": bool(true, "Node."),
    "node-deployment-base-delay": duration("20s", "Node."),
    "node-deployment-max-delay": duration("60s", "Node."),
    "controller-publish-readonly": bool(false, "Read-only."),
    "prevent-volume-mode-conversion": bool(true, "Mode."),
  },
} satisfies FlagOwner;

export const resizer = {
  name: "resizer",
  aliases: ["csi-resizer", "external-resizer"],
  onByDefault: true,
  processFlags: [...sidecarFlagNames, "feature-gates", "master"],
  flags: {
    ...timeout("10s"),
    ...retryFlags,
    ...kubeApiFlags,
    workers: int(10, "Workers.", { follows: "worker-threads" }),
    "resync-period": duration("10m", "Resync.", { follows: "resync" }),
    "extra-modify-metadata": bool(false, "Metadata."),
    "handle-volume-inuse-error": bool(true, "Watch pods."),
  },
} satisfies FlagOwner;

export const snapshotter = {
  name: "snapshotter",
  aliases: ["csi-snapshotter", "external-snapshotter"],
  onByDefault: true,
  processFlags: [...sidecarFlagNames, "feature-gates"],
  flags: {
    ...timeout("1m"),
    ...retryFlags,
    ...kubeApiFlags,
    ...shared("extra-create-metadata"),
    ...shared("node-deployment"),
    "worker-threads": int(10, "Workers.", { follows: "worker-threads" }),
    "resync-period": duration("15m", "Resync.", { follows: "resync" }),
    "snapshot-name-prefix": text("snapshot", "Prefix.", {
      check: (prefix) => (prefix === "" ? "must not be empty" : undefined),
    }),
    "snapshot-name-uuid-length": int(-1, "Length."),
    "groupsnapshot-name-prefix": text("groupsnapshot", "Prefix."),
    "groupsnapshot-name-uuid-length": int(-1, "Length."),
  },
} satisfies FlagOwner;

export const healthMonitor = {
  name: "health-monitor",
  aliases: ["volume-health-monitor", "external-health-monitor", "csi-external-health-monitor-controller"],
  processFlags: sidecarFlagNames,
  flags: {
    ...timeout("15s"),
    ...kubeApiFlags,
    "worker-threads": uint(10, "Workers.", positive),
    resync: duration("10m", "Resync.", { follows: "resync" }),
    "monitor-interval": duration("1m", "Period."),
    "list-volumes-interval": duration("5m", "Period."),
    "volume-list-add-interval": duration("5m", "Period."),
    "node-list-add-interval": duration("5m", "Period."),
    "enable-node-watcher": bool(false, "Nodes."),
  },
} satisfies FlagOwner;

export const livenessprobe = {
  name: "livenessprobe",
  aliases: ["liveness-probe"],
  processFlags: ["csi-address", "metrics-path", "automaxprocs", ...loggingFlagNames],
  flags: {
    "probe-timeout": duration("3s", "Limit of a probe."),
    "health-port": text("9808", "Port.", { deprecated: "use --http-endpoint" }),
    "http-endpoint": text("", "Own listener."),
    "metrics-address": text("", "Own listener for metrics.", { deprecated: "use --http-endpoint" }),
  },
  validate: (flags: { readonly healthPort: string; readonly httpEndpoint: string }) =>
    flags.healthPort !== "9808" && flags.httpEndpoint !== ""
      ? ["Only one of `--health-port` and `--http-endpoint` can be explicitly set"]
      : [],
} satisfies FlagOwner;

export const registrar = {
  name: "node-driver-registrar",
  aliases: ["csi-node-driver-registrar"],
  processFlags: ["csi-address", "version", "enable-pprof", "automaxprocs", ...loggingFlagNames],
  flags: {
    ...timeout("1s"),
    "kubelet-registration-path": text("", "Socket on the host."),
    "plugin-registration-path": text("/registration", "Directory."),
    "health-port": int(0, "Port.", { deprecated: "use --http-endpoint" }),
    "http-endpoint": text("", "Own listener."),
    mode: text("", "Mode.", { deprecated: "probe the HTTP endpoint" }),
    "connection-timeout": duration("0", "Nothing.", { deprecated: "it has no effect" }),
  },
} satisfies FlagOwner;

export const validator = {
  name: "volume-data-source-validator",
  aliases: ["data-source-validator"],
  processFlags: [
    "version",
    "kubeconfig",
    "leader-election",
    "leader-election-namespace",
    "leader-election-lease-duration",
    "leader-election-renew-deadline",
    "leader-election-retry-period",
    "http-endpoint",
    "metrics-path",
    "v",
    "vmodule",
  ],
  flags: {
    "worker-threads": int(10, "Workers.", { follows: "worker-threads" }),
    "kube-api-qps": { ...kubeApiFlags["kube-api-qps"], individual: false },
    "kube-api-burst": { ...kubeApiFlags["kube-api-burst"], individual: false },
    logtostderr: retired("bool", "Old logging."),
    log_file: retired("value", "Old logging."),
  },
} satisfies FlagOwner;

export const components = [attacher, provisioner, resizer, snapshotter, healthMonitor, livenessprobe, registrar, validator] as const;

export const allInOne: Program = {
  form: "all-in-one",
  name: "csi-sidecars",
  components,
  separate: [
    { name: "snapshot-controller" },
    { name: "snapshot-conversion-webhook" },
    { name: "csi-snapshot-metadata", aliases: ["snapshot-metadata"] },
  ],
};

export function individual(component: FlagOwner, name: string): Program {
  return { form: "individual", name, component };
}
