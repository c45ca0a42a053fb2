import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { allSets, type SetName, setNames, sets } from "./suite/sets.ts";

export const usage = `npm run e2e -- [flags]: upstream's Kubernetes storage suite on a real kubelet, with our images in pods. Needs root.

  --set <names>           comma-separated, fast unless given:
${setNames.map((name) => `                            ${name.padEnd(12)} ${sets[name].about}`).join("\n")}
  --all                   all of them but ci
  --focus <regexp>        only tests whose names match, in the place of the set's own choice; as ginkgo takes it
  --skip <regexp>         none of these
  --parallel <number>     tests at a time
  --limit <duration>      of each set, 1h unless given
  --sidecars ours|peers   peers: the Go sidecars, from the programs in the folder PEERS
  --driver <manifests>    another driver than ours: a file or a kustomization that deploys it with its sidecars. A socket is refused:
                          the driver must run in pods of the node
  --definition <file>     describes that driver for the suite (-storage.testdriver)
  --images <archives>     comma-separated: further images
  --out <folder>          reports and logs, dist/e2e unless given
  --if-possible           where no node can be started, say why and succeed; install nothing
  --hold                  keep the node afterwards, until Ctrl-C
`;

/** What the command line asks for. */
export interface Options {
  readonly sets: readonly SetName[];
  readonly focus: string | undefined;
  readonly skip: readonly string[];
  readonly parallel: number | undefined;
  readonly limit: string;
  readonly sidecars: "ours" | "peers";
  /** The programs of the Go sidecars; only with them. */
  readonly peers: string | undefined;
  readonly driver: string | undefined;
  readonly definition: string | undefined;
  readonly images: readonly string[];
  readonly out: string;
  readonly ifPossible: boolean;
  readonly hold: boolean;
}

/** Reads the command line. Throws what is wrong with it. */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): Options {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ set: text, focus: text, skip: text, parallel: text, limit: text, sidecars: text, driver: text, definition: text, images: text },
      ...{ out: text, all: { type: "boolean" }, hold: { type: "boolean" }, "if-possible": { type: "boolean" } },
    },
  });
  const { sidecars = "ours", limit = "1h" } = values;
  if (sidecars !== "ours" && sidecars !== "peers") throw new Error(`--sidecars: expected ours or peers, got "${sidecars}"`);
  if (sidecars === "peers" && !env.PEERS) throw new Error("--sidecars=peers: set PEERS to the folder with the Go sidecars' programs");
  if (!/^(\d+[hms])+$/.test(limit)) throw new Error(`--limit: expected a duration such as 30m, got "${limit}"`);
  if ((values.driver === undefined) !== (values.definition === undefined)) throw new Error("--driver and --definition go together");
  return {
    sets: values.all ? allSets : (values.set ?? "fast").split(",").map(setName),
    focus: values.focus,
    skip: values.skip === undefined ? [] : [values.skip],
    parallel: values.parallel === undefined ? undefined : positive("parallel", values.parallel),
    limit,
    sidecars,
    peers: sidecars === "peers" && env.PEERS ? peerFolder(env.PEERS) : undefined,
    driver: values.driver === undefined ? undefined : driverManifests(values.driver),
    definition: values.definition === undefined ? undefined : existing("--definition", values.definition),
    images: (values.images ?? "")
      .split(",")
      .filter(Boolean)
      .map((file) => existing("--images", file)),
    out: resolve(values.out ?? "dist/e2e"),
    ifPossible: values["if-possible"] ?? false,
    hold: values.hold ?? false,
  };
}

function setName(name: string): SetName {
  const known = setNames.find((each) => each === name);
  if (!known) throw new Error(`--set: expected some of ${setNames.join(", ")}, got "${name}"`);
  return known;
}

function positive(flag: string, given: string): number {
  const number = Number(given);
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${flag}: expected a whole number above 0, got "${given}"`);
  return number;
}

/** What `deploy/peers` runs. */
const peerPrograms = [
  "csi-attacher",
  "csi-provisioner",
  "csi-resizer",
  "csi-snapshotter",
  "csi-node-driver-registrar",
  "livenessprobe",
  "snapshot-controller",
];

function peerFolder(folder: string): string {
  const path = existing("PEERS", folder);
  const missing = peerPrograms.filter((name) => !existsSync(join(path, name)));
  if (missing.length > 0) throw new Error(`PEERS: ${path} has no ${missing.join(", ")}`);
  return path;
}

function driverManifests(given: string): string {
  const path = existing("--driver", given);
  const kind = statSync(path);
  if (kind.isFile() || kind.isDirectory()) return path;
  throw new Error(
    `--driver: ${path} is neither a file nor a folder of manifests: the driver must run in pods of the node; deploy it with its sidecars, as test/kubernetes/deploy/ours does`,
  );
}

function existing(what: string, path: string): string {
  if (!existsSync(path)) throw new Error(`${what}: ${path} does not exist`);
  return resolve(path);
}
