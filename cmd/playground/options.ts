import { parseArgs } from "node:util";

/** What the command line asks for. */
export interface Options {
  /** Play the story and end, instead of showing the cluster until Ctrl-C. */
  readonly demo: boolean;
  readonly nodes: number;
  /** Of the API server; 0 takes a free one. */
  readonly port: number;
  /** Where the cluster is kept between runs; nowhere unless given. */
  readonly state?: string;
  readonly help: boolean;
}

export const usage = `Usage: npm start -- [flags]

A cluster to play with: an API server, storage controllers, nodes, a CSI driver that keeps volumes in folders, and csi-sidecars.

  --demo         play a story with a volume, tell it, and exit with 0 if all of it was seen
  --nodes N      how many nodes there are (default 2, at most 100)
  --port PORT    port of the API server on 127.0.0.1 (default: a free one)
  --state DIR    keep the cluster and its volumes in this folder for the next run (default: forget them);
                 written at the end
  --help         this text
`;

/** A mistake of whoever typed the command: told in one sentence, without a stack. */
export class Refusal extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Reads the arguments after the program's name; a {@link Refusal} says what is wrong with them. */
export function readOptions(argv: readonly string[]): Options {
  const { demo = false, help = false, nodes = "2", port = "0", state } = parsed(argv);
  if (demo && state !== undefined) throw misuse("--demo starts from an empty cluster: leave --state away");
  if (state === "") throw misuse("--state needs the name of a folder");
  return { demo, help, nodes: whole("--nodes", nodes, 1, 100), port: whole("--port", port, 0, 65_535), ...(state && { state }) };
}

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        demo: { type: "boolean" },
        help: { type: "boolean", short: "h" },
        nodes: { type: "string" },
        port: { type: "string" },
        state: { type: "string" },
      },
    }).values;
  } catch (error) {
    const [sentence = ""] = (error instanceof Error ? error.message : String(error)).split(/\. |\n/);
    throw misuse(sentence);
  }
}

function whole(flag: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw misuse(`${flag} takes a whole number from ${least} to ${most}, not ${JSON.stringify(text)}`);
}

const misuse = (sentence: string) => new Refusal(`${sentence}; see npm start -- --help`, 2);
