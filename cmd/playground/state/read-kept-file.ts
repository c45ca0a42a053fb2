import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf, systemErrorCode } from "@csi-sidecars/base";
import { Refusal } from "../refusal.ts";

/** What a JSON file of an earlier run holds, `undefined` where there is none; `check` says what is wrong with it. */
export function readKeptFile<T>(file: string, check: (content: unknown) => content is T): T | undefined {
  if (!existsSync(file)) return undefined;
  const content = parse(file);
  if (!check(content)) throw damaged(file, "is not what the playground writes");
  return content;
}

function parse(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    const code = systemErrorCode(error);
    throw damaged(file, code === undefined ? `is damaged (${messageOf(error)})` : `cannot be read (${code})`);
  }
}

const damaged = (file: string, what: string) =>
  new Refusal(`--state: ${file} ${what}; nothing was changed: restore it from a copy, or remove ${dirname(file)} to start anew`);
