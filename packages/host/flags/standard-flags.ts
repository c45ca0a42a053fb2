import type { FlagTable, FlagValues } from "./flag.ts";
import { aboveZero, notBelowZero, objectName, urlPath } from "./flag.ts";
import {
  bool,
  byteSize,
  choice,
  duration,
  float,
  gateSettings,
  int,
  labels,
  level,
  list,
  optionalBool,
  text,
  vmodule,
} from "./flag-types.ts";

const programFlags = {
  controllers: list(["*"], "The controllers to run: * for all that are on by default, name to add one, -name to leave one out."),
  version: bool(false, "Print the version and exit."),
  "feature-gates": gateSettings("Feature gates to enable or disable."),
  "controller-restart-limit": int(
    0,
    "How many times in a row a failing controller is restarted before the process finishes its work and exits; 0 restarts it for as long as " +
      "it takes, at most 5 minutes apart, while the others go on. A run of 10 minutes starts the count again.",
    { check: notBelowZero },
  ),
  "shutdown-timeout": duration("30s", "How long work in flight may take to finish after SIGTERM, or when the lease is given up.", {
    check: notBelowZero,
  }),
  "driver-loss-grace-period": duration(
    "30s",
    "How long the driver may be away before /readyz fails and, with leader election, this replica finishes its work, releases the lease and " +
      "leaves it to the others until the driver answers again.",
    { check: notBelowZero },
  ),
  "loss-policy": choice(
    ["auto", "exit", "restart"],
    "auto",
    "What a lost driver connection or a lost lease does: exit ends the process, as it ends upstream's sidecars; restart (auto is the same) " +
      "waits for the driver, or for the lease, inside the process. A lease that one controller has to itself never ends the others.",
  ),
  automaxprocs: optionalBool(false, "Accepted for compatibility; has no effect."),
} satisfies FlagTable;

const connectionFlags = {
  kubeconfig: text("", "Path of a kubeconfig file; needed only outside of a cluster."),
  master: text("", "URL of the API server; overrides the one of the kubeconfig file."),
  "csi-address": text("/run/csi/socket", "Unix socket of the CSI driver."),
  "max-grpc-log-length": int(
    -1,
    "Longest logged response of the driver, in characters; -1 for 1048576. Requests are always cut at 1048576.",
    {
      aliases: ["attacher-max-grpc-log-length"],
    },
  ),
} satisfies FlagTable;

const leaderElectionFlags = {
  "leader-election": bool(false, "Elect one active process among the replicas."),
  "leader-election-namespace": text("", "Namespace of the lease; the pod's own if empty.", { check: objectName }),
  "leader-election-lease-duration": duration(
    "15s",
    "How long others wait after the leader's last renewal before they take over; at least 2s.",
  ),
  "leader-election-renew-deadline": duration("10s", "How long after its last renewal a leader gives up leading."),
  "leader-election-retry-period": duration("5s", "Pause between two attempts to acquire or renew."),
  "leader-election-labels": labels("Labels of the lease."),
  "leader-election-lease-name": text(
    "",
    "Name of the lease that the controllers of the driver share; csi-sidecars-<driver> if empty. " +
      "A controller that belongs to no driver has a lease of its own, whose name is fixed.",
    { check: objectName },
  ),
  "leader-election-migration": choice(
    ["auto", "exit", "wait", "skip"],
    "auto",
    "What happens while a legacy sidecar still holds its lease: exit, wait for it, or skip the check. " +
      "auto is exit, but wait when livenessprobe is enabled.",
  ),
} satisfies FlagTable;

const httpFlags = {
  "http-endpoint": text("", "Address (host:port) of the HTTP server for metrics and health; no server if empty."),
  "metrics-address": text("", "Address of an HTTP server for metrics alone.", { deprecated: "use --http-endpoint" }),
  "metrics-path": text("/metrics", "Path under which metrics are served.", { check: urlPath }),
  "enable-ui": bool(
    false,
    "Serve a page at /ui on the HTTP server, to all who can reach it: controllers, leases, queues, calls in flight, and what was done with the last 200 volumes. Nothing can be changed there.",
  ),
  "enable-pprof": bool(
    false,
    "Serve profiles under /debug/pprof/ on the HTTP server, to all who can reach it: " +
      "CPU time by function, and memory by type; never the contents of memory.",
  ),
} satisfies FlagTable;

const loggingFlags = {
  v: level(0, "Verbosity: lines up to this level are shown."),
  vmodule: vmodule("Verbosity of single loggers by the pattern of their name (text format only)."),
  "logging-format": text("text", "Format of log lines: text or json."),
  "log-flush-frequency": duration("5s", "Longest time a log line may stay in a buffer."),
  "log-text-split-stream": bool(false, "Text format: information to stdout, errors to stderr (gate LoggingAlphaOptions)."),
  "log-text-info-buffer-size": byteSize(0, "Text format with split streams: buffer for information (gate LoggingAlphaOptions)."),
  "log-json-split-stream": bool(false, "JSON format: information to stdout, errors to stderr (gate LoggingAlphaOptions)."),
  "log-json-info-buffer-size": byteSize(0, "JSON format with split streams: buffer for information (gate LoggingAlphaOptions)."),
} satisfies FlagTable;

/** The flags that have one value for the whole process, by the heading under which `--help` shows them. */
export const processFlagGroups = {
  Program: programFlags,
  Connections: connectionFlags,
  "Leader election": leaderElectionFlags,
  "HTTP server": httpFlags,
  Logging: loggingFlags,
} as const;

/** All flags that have one value for the whole process. */
export const processFlags = { ...programFlags, ...connectionFlags, ...leaderElectionFlags, ...httpFlags, ...loggingFlags };

export type ProcessFlag = keyof typeof processFlags;
export type ProcessValues = FlagValues<typeof processFlags>;

/** The logging flags every upstream sidecar has. */
export const loggingFlagNames = [
  "v",
  "vmodule",
  "logging-format",
  "log-flush-frequency",
  "log-text-split-stream",
  "log-text-info-buffer-size",
  "log-json-split-stream",
  "log-json-info-buffer-size",
] as const satisfies readonly ProcessFlag[];

/** The process-wide flags that the sidecars with leader election share upstream; add `feature-gates`, `master`, ... where a program has them. */
export const sidecarFlagNames = [
  "version",
  "kubeconfig",
  "csi-address",
  "leader-election",
  "leader-election-namespace",
  "leader-election-lease-duration",
  "leader-election-renew-deadline",
  "leader-election-retry-period",
  "leader-election-labels",
  "http-endpoint",
  "metrics-address",
  "metrics-path",
  "automaxprocs",
  ...loggingFlagNames,
] as const satisfies readonly ProcessFlag[];

/** A flag without prefix that sets one flag of every enabled component that follows it. It has no default: those differ. */
export interface GenericFlag {
  readonly help: string;
  /** Other spellings, with and without prefix. */
  readonly aliases?: readonly string[];
}

/** What components may follow. */
export const genericFlags: Readonly<Record<string, GenericFlag>> = {
  timeout: { help: "Time limit of calls to the CSI driver." },
  "retry-interval-start": { help: "First delay before a failed item is retried; doubles with each failure." },
  "retry-interval-max": { help: "Longest delay before a failed item is retried." },
  "worker-threads": { help: "How many items a controller works on at the same time.", aliases: ["worker-thread"] },
  resync: { help: "Period after which objects with pending work are enqueued again.", aliases: ["resync-period"] },
  "kube-api-qps": { help: "Requests per second to the API server, for each controller; negative for no limit." },
  "kube-api-burst": { help: "Requests to the API server that may be sent at once, for each controller." },
  "extra-create-metadata": { help: "Pass names and namespaces of Kubernetes objects to the driver in create requests." },
  "node-deployment": { help: "One process per node, each for the volumes of its node." },
};

/** What every component has in the all-in-one beside its own flags. */
export const everyComponentFlags = {
  v: level(0, "Verbosity of this controller.", { follows: "v" }),
} satisfies FlagTable;

/** The flags of a component that has a request budget of its own at the API server. */
export const kubeApiFlags = {
  "kube-api-qps": float(5, "Requests per second to the API server; negative for no limit.", { follows: "kube-api-qps", allInOne: 20 }),
  "kube-api-burst": int(10, "Requests to the API server that may be sent at once.", { follows: "kube-api-burst", allInOne: 40 }),
} satisfies FlagTable;

/** The flags of a component that retries failed items. */
export const retryFlags = {
  "retry-interval-start": duration("1s", "First delay before a failed item is retried; doubles with each failure.", {
    follows: "retry-interval-start",
    check: aboveZero,
  }),
  "retry-interval-max": duration("5m", "Longest delay before a failed item is retried.", {
    follows: "retry-interval-max",
    check: aboveZero,
  }),
} satisfies FlagTable;
