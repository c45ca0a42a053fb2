import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { UserError } from "../../cmd/playground/user-error.ts";
import { programs } from "../build/programs.ts";
import { type ParityRecord, parseRecord } from "./parity-record.ts";

/** The records of a folder by name. */
export function readRecords(folder: string): readonly ParityRecord[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return files.sort().map((name) => {
    const record = parseRecord(readFileSync(join(folder, name), "utf8"), `parity/${name}`);
    if (`${record.controller}.json` !== name)
      throw new UserError(`parity/${name} is about ${record.controller}: name it ${record.controller}.json`);
    return record;
  });
}

/** Controllers that upstream does not have: there is nothing to reproduce. */
const withoutUpstream: readonly string[] = [];

/** The controllers and programs that ship and have no record, given the names of all components. */
export function withoutRecord(components: readonly string[], records: readonly ParityRecord[]): readonly string[] {
  const recorded = new Set([...withoutUpstream, ...records.map(({ controller }) => controller)]);
  const alone = programs.map(({ name }) => name).filter((name) => name !== "csi-sidecars");
  return [...components, ...alone].filter((name) => !recorded.has(name));
}

/** The clone of a repository in a folder of clones: `<folder>/external-attacher`, also bare, with or without `.git`. */
export function cloneNames(repository: string): readonly string[] {
  return [basename(repository), `${basename(repository)}.git`];
}
