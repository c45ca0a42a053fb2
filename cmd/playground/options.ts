import { parseArgs } from "node:util";
import { messageOf } from "@csi-sidecars/base";
import { firstNode } from "./cluster/nodes.ts";
import { UserError } from "./user-error.ts";

/** The flags of the command line. */
export interface Options {
  /** Run the demo and exit, instead of showing the cluster until Ctrl-C. */
  readonly demo: boolean;
  /** kube-apiserver, etcd and kube-controller-manager instead of the embedded server. */
  readonly real: boolean;
  /** Changes line by line instead of the live view. */
  readonly lines: boolean;
  /** As in the kept cluster, or the default, unless given; likewise zones. */
  readonly nodes?: number;
  readonly zones?: number;
  /** Of the API server; 0 for a free one. */
  readonly port: number;
  /** Where the cluster is kept between runs; nowhere unless given. */
  readonly state?: string;
  /** The socket of the user's own driver, instead of the hostpath driver. */
  readonly driver?: string;
  /** Do not call its node service. */
  readonly controllerOnly: boolean;
  readonly help: boolean;
}

export const usage = `Usage: npm start -- [flags]

A local cluster to try csi-sidecars with: an API server, storage controllers, nodes, a CSI driver that keeps volumes in folders, and csi-sidecars.

  --demo              run a scripted demo of a volume's life, check every step, and exit with 0 if all of them pass
  --nodes N           number of nodes, at most 100 (default 2; 1 with --driver)
  --topology zones=N  spread the nodes over N zones; volumes are created in the zone of the pod that uses them
  --driver SOCKET     use your own driver, listening on this Unix socket; the playground never stops it or touches its socket.
                      Its node service is called as a kubelet does, for ${firstNode}, with paths in a temporary folder
  --controller-only   with --driver: never call its node service, which may need privileges; pods run without their volumes
  --real              run kube-apiserver, etcd and kube-controller-manager from KUBEBUILDER_ASSETS or "npm run envtest"
  --lines             print changes line by line instead of the live view, as when the output is not a terminal
  --port PORT         port of the API server on 127.0.0.1 (default: a free one)
  --state DIR         keep the cluster and its volumes in this folder for the next run (default: discard them)
  --help              print this text

NO_COLOR=1 takes the color away. Keys work where the input is a terminal, in the live view and with lines: ? explains them.
Exit codes: 0 success, 1 something failed, 2 invalid flags, 130 interrupted before it was ready or during the demo.
`;

/** The flags by name, as they are read. */
export const flags = {
  "controller-only": { type: "boolean" },
  demo: { type: "boolean" },
  driver: { type: "string" },
  help: { type: "boolean", short: "h" },
  lines: { type: "boolean" },
  nodes: { type: "string" },
  port: { type: "string" },
  real: { type: "boolean" },
  state: { type: "string" },
  topology: { type: "string" },
} as const;

const most = 100;

/** Reads the arguments after the program's name. Throws a {@link UserError} that says what is wrong with them. */
export function readOptions(argv: readonly string[]): Options {
  const { demo = false, help = false, lines = false, real = false, nodes, topology, port = "0", state, driver, ...more } = parsed(argv);
  const { "controller-only": controllerOnly = false } = more;
  if (demo && state !== undefined) throw misuse("--demo starts from an empty cluster: omit --state");
  if (driver !== undefined && topology !== undefined)
    throw misuse("--topology is for the hostpath driver: your own driver reports the topology of its node");
  if (controllerOnly && driver === undefined) throw misuse("--controller-only is for your own driver: add --driver, or omit it");
  if (state === "") throw misuse("--state needs the path of a folder");
  if (driver === "") throw misuse("--driver needs the path of a socket");
  const options = {
    controllerOnly,
    demo,
    help,
    lines,
    real,
    port: whole("--port", port, 0, 65_535),
    ...(nodes !== undefined && { nodes: whole("--nodes", nodes, 1, most) }),
    ...(topology !== undefined && { zones: zonesOf(topology) }),
    ...(state && { state }),
    ...(driver && { driver }),
  };
  if (options.nodes !== undefined && options.zones !== undefined && options.zones > options.nodes)
    throw misuse(`--topology: ${options.zones} zones need at least as many nodes, not ${options.nodes}`);
  return options;
}

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: flags,
    }).values;
  } catch (error) {
    const [sentence = ""] = messageOf(error).split(/\. |\n/);
    throw misuse(sentence);
  }
}

function zonesOf(topology: string): number {
  const [, count] = /^zones=(.*)$/.exec(topology) ?? [];
  if (count === undefined) throw misuse(`--topology takes zones=N, not ${JSON.stringify(topology)}`);
  return whole("--topology zones", count, 1, most);
}

function whole(flag: string, text: string, least: number, limit: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= limit) return value;
  throw misuse(`${flag} takes a whole number from ${least} to ${limit}, not ${JSON.stringify(text)}`);
}

const misuse = (sentence: string) => new UserError(`${sentence}; see npm start -- --help`, 2);

/** Refuses to start when npm has consumed flags because there was no `--` before them. */
export function refuseSwallowedFlags(env: NodeJS.ProcessEnv): void {
  if (env.npm_lifecycle_event === undefined) return;
  const consumed = Object.keys(flags).filter((name) => Object.hasOwn(env, `npm_config_${name.replaceAll("-", "_")}`));
  if (consumed.length === 0) return;
  const named = consumed.map((name) => `--${name}`);
  throw new UserError(`npm has consumed ${named.join(" and ")}: put "--" before the flags, as in npm start -- ${named[0]}`, 2);
}
