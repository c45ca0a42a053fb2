import { parseArgs } from "node:util";
import { defaultFlavour, type Flavour } from "../shared/server.ts";

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
  const objects = Number(values.objects);
  if (!Number.isInteger(objects) || objects < 1) throw new Error(`--objects: expected a positive number, got "${values.objects}"`);
  const server = values.server ?? defaultFlavour(env);
  if (server !== "real" && server !== "embedded") throw new Error(`--server: expected "real" or "embedded", got "${server}"`);
  return { objects, server, json: values.json };
}
