import { parseArgs } from "node:util";
import { messageOf } from "@csi-sidecars/base";
import { Refusal } from "./refusal.ts";

/** What the command line asks for. */
export interface Options {
  /** Play the story and end, instead of showing the cluster until Ctrl-C. */
  readonly demo: boolean;
  /** kube-apiserver, etcd and kube-controller-manager instead of the embedded server. */
  readonly real: boolean;
  /** As the kept cluster has, or the default, unless given; likewise zones. */
  readonly nodes?: number;
  readonly zones?: number;
  /** Of the API server; 0 takes a free one. */
  readonly port: number;
  /** Where the cluster is kept between runs; nowhere unless given. */
  readonly state?: string;
  /** The socket of somebody's own driver, instead of the hostpath driver. */
  readonly driver?: string;
  readonly help: boolean;
}

export const usage = `Usage: npm start -- [flags]

A cluster to play with: an API server, storage controllers, nodes, a CSI driver that keeps volumes in folders, and csi-sidecars.

  --demo              play a story with a volume, tell it, and exit with 0 if all of it was seen
  --nodes N           how many nodes there are, at most 100 (default 2; 1 with --driver)
  --topology zones=N  spread the nodes over N zones; volumes are made in the zone of the pod that uses them
  --driver SOCKET     use your own driver, which listens on this Unix socket; it is never stopped, its socket never touched
  --real              run kube-apiserver, etcd and kube-controller-manager of KUBEBUILDER_ASSETS or of "npm run envtest"
  --port PORT         port of the API server on 127.0.0.1 (default: a free one)
  --state DIR         keep the cluster and its volumes in this folder for the next run (default: forget them)
  --help              this text

NO_COLOR=1, or an output that is no terminal, gives a line for each change instead of the live view.
Exit codes: 0 all well, 1 something failed or was not seen, 2 a wrong flag, 130 interrupted before it was ready or during the story.
`;

/** The flags by name, as they are read. */
export const flags = {
  demo: { type: "boolean" },
  driver: { type: "string" },
  help: { type: "boolean", short: "h" },
  nodes: { type: "string" },
  port: { type: "string" },
  real: { type: "boolean" },
  state: { type: "string" },
  topology: { type: "string" },
} as const;

const most = 100;

/** Reads the arguments after the program's name; a {@link Refusal} says what is wrong with them. */
export function readOptions(argv: readonly string[]): Options {
  const { demo = false, help = false, real = false, nodes, topology, port = "0", state, driver } = parsed(argv);
  if (demo && state !== undefined) throw misuse("--demo starts from an empty cluster: leave --state away");
  if (driver !== undefined && topology !== undefined)
    throw misuse("--topology is for the hostpath driver: your own tells where its node is");
  if (state === "") throw misuse("--state needs the name of a folder");
  if (driver === "") throw misuse("--driver needs the path of a socket");
  const options = {
    demo,
    help,
    real,
    port: whole("--port", port, 0, 65_535),
    ...(nodes !== undefined && { nodes: whole("--nodes", nodes, 1, most) }),
    ...(topology !== undefined && { zones: zonesOf(topology) }),
    ...(state && { state }),
    ...(driver && { driver }),
  };
  if (options.nodes !== undefined && options.zones !== undefined && options.zones > options.nodes)
    throw misuse(`--topology: ${options.zones} zones need as many nodes at least, not ${options.nodes}`);
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

const misuse = (sentence: string) => new Refusal(`${sentence}; see npm start -- --help`, 2);
