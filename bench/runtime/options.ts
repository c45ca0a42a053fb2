import { parseArgs } from "node:util";
import { countOf, flavourOf } from "../shared/read-options.ts";
import type { Flavour } from "../shared/server.ts";

export interface Options {
  /** Volumes, each of them a PersistentVolume, a claim and an attachment. */
  readonly objects: number;
  readonly server: Flavour;
  readonly json: string | undefined;
}

/** Reads the command line. Throws on what it does not know. */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): Options {
  const { values } = parseArgs({
    args: [...args],
    options: { objects: { type: "string", default: "20000" }, server: { type: "string" }, json: { type: "string" } },
  });
  return { objects: countOf("objects", values.objects, 1), server: flavourOf(values.server, env), json: values.json };
}
