import { isRecord } from "@csi-sidecars/base";
import { UserError } from "../../cmd/playground/user-error.ts";

export const verdicts = ["ported", "not applicable", "deliberately different", "pending"] as const;
export type Verdict = (typeof verdicts)[number];

/** What was decided about one change of upstream after the reproduced commit. */
export interface ReviewedChange {
  /** On the branch of the record: the merge of its pull request, or the commit itself. */
  readonly commit: string;
  readonly date: string;
  readonly pull?: number;
  /** What it changes, in our words. */
  readonly about: string;
  readonly verdict: Verdict;
  /** What ported it, or why it was not. */
  readonly reason: string;
  /** It is about a vulnerability: one that is pending blocks a release at once. */
  readonly security?: true;
}

/** Which upstream behaviour a controller reproduces: one file in parity/. */
export interface ParityRecord {
  readonly controller: string;
  /** On GitHub: `kubernetes-csi/external-attacher`. */
  readonly repository: string;
  readonly branch: string;
  /** The release whose behaviour is reproduced, and its commit. */
  readonly tag: string;
  readonly commit: string;
  /** Where in the repository the controller is; changes elsewhere are not its own. All of it unless given. */
  readonly paths?: readonly string[];
  /** The newest commit of the branch that was looked at, and a day on which upstream had none that was newer. */
  readonly reviewed: { readonly commit: string; readonly date: string; readonly asOf: string };
  /** Oldest first. */
  readonly later: readonly ReviewedChange[];
}

/** Reads a record. Whatever is wrong is said with the file and the field. */
export function parseRecord(text: string, file: string): ParityRecord {
  const record = fields(json(text, file), file, ["controller", "repository", "branch", "tag", "commit", "paths?", "reviewed", "later"]);
  const reviewed = fields(record.reviewed, `${file}: reviewed`, ["commit", "date", "asOf"]);
  if (!Array.isArray(record.later)) throw new UserError(`${file}: later is no list`);
  const later = record.later.map((entry, index) => parseChange(entry, `${file}: later[${index}]`));
  const twice = later.find(({ commit }, index) => later.findIndex((other) => other.commit === commit) !== index);
  if (twice) throw new UserError(`${file}: later has ${twice.commit} twice`);
  return {
    controller: matched(record.controller, /^[a-z0-9-]+$/, `${file}: controller`),
    repository: matched(record.repository, /^[\w.-]+\/[\w.-]+$/, `${file}: repository`),
    branch: matched(record.branch, /^[\w./-]+$/, `${file}: branch`),
    tag: matched(record.tag, /^v\d+\.\d+\.\d+(-[\w.]+)?$/, `${file}: tag`),
    commit: matched(record.commit, commitId, `${file}: commit`),
    ...(record.paths !== undefined && { paths: texts(record.paths, `${file}: paths`) }),
    reviewed: {
      commit: matched(reviewed.commit, commitId, `${file}: reviewed.commit`),
      date: matched(reviewed.date, day, `${file}: reviewed.date`),
      asOf: matched(reviewed.asOf, day, `${file}: reviewed.asOf`),
    },
    later,
  };
}

const commitId = /^[0-9a-f]{40}$/;
const day = /^\d{4}-\d\d-\d\d$/;
const notEmpty = /\S/;

function parseChange(value: unknown, where: string): ReviewedChange {
  const entry = fields(value, where, ["commit", "date", "pull?", "about", "verdict", "reason", "security?"]);
  const verdict = verdicts.find((known) => known === entry.verdict);
  if (!verdict) throw new UserError(`${where}: verdict is ${JSON.stringify(entry.verdict)}, not one of ${verdicts.join(", ")}`);
  const { pull } = entry;
  if (pull !== undefined && !(typeof pull === "number" && Number.isInteger(pull) && pull > 0))
    throw new UserError(`${where}: pull is no number`);
  if (entry.security !== undefined && entry.security !== true) throw new UserError(`${where}: security is true or absent`);
  const reason = matched(entry.reason, verdict === "ported" ? /\b[0-9a-f]{7,40}\b|^v\d/ : notEmpty, `${where}: reason`);
  return {
    commit: matched(entry.commit, commitId, `${where}: commit`),
    date: matched(entry.date, day, `${where}: date`),
    ...(pull !== undefined && { pull }),
    about: matched(entry.about, notEmpty, `${where}: about`),
    verdict,
    reason,
    ...(entry.security && { security: true }),
  };
}

function json(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UserError(`${file} is no JSON: ${(error as Error).message}`);
  }
}

/** An object with these fields and no others; `?` marks those that may be absent. */
function fields<Name extends string>(value: unknown, where: string, names: readonly Name[]): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw new UserError(`${where} is no object`);
  const missing = names.filter((name) => !name.endsWith("?") && !Object.hasOwn(value, name));
  const unknown = Object.keys(value).filter((key) => !names.some((name) => name.replace("?", "") === key));
  if (missing.length > 0) throw new UserError(`${where} has no ${missing.join(", ")}`);
  if (unknown.length > 0) throw new UserError(`${where} has the unknown ${unknown.join(", ")}`);
  return value;
}

function matched(value: unknown, form: RegExp, where: string): string {
  if (typeof value !== "string" || !form.test(value))
    throw new UserError(`${where} is ${JSON.stringify(value)}, not of the form ${form.source}`);
  return value;
}

function texts(value: unknown, where: string): readonly string[] {
  if (!Array.isArray(value) || value.length === 0) throw new UserError(`${where} is no list`);
  return value.map((item) => matched(item, notEmpty, where));
}
