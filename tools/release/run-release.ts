import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../cmd/playground/user-error.ts";
import { git } from "../git.ts";
import { type Candidate, readCandidate } from "./candidate.ts";
import { type Check, checks } from "./checks.ts";
import { writeAllChecksums, writeArchives, writeTexts } from "./outputs.ts";

export interface ReleaseOptions {
  readonly root: string;
  readonly out: string;
  readonly dryRun: boolean;
  print(line: string): void;
  /** Builds the programs into a folder, and returns what a second build has differently. */
  buildPrograms(root: string, out: string): readonly string[];
  buildImages(candidate: Candidate, out: string): void;
}

const notesFile = "RELEASE_NOTES.md";

/** Makes a release, or throws and leaves the repository as it was. */
export function release(options: ReleaseOptions): void {
  const { root, out, dryRun, print } = options;
  const candidate = readCandidate(root);
  const { tag, commit, previous = "no release" } = candidate;
  print(`${tag} from ${commit.slice(0, 10)}, after ${previous}`);
  const failed = checks.filter((check) => !passes(check, candidate, options));
  if (failed.length > 0) throw new UserError(`not released: ${failed.map(({ name }) => name).join(", ")}`);
  emptyFolder(out);
  writeTexts(candidate, out);
  if (dryRun) print("skipped  reproducible build, programs, images, archives, tag: this is a dry run");
  else publish(candidate, options);
  print(`written to ${out}`);
  if (!dryRun) print(`publish it with: git push origin ${tag}`);
}

function passes({ name, skippedInDryRun, problems }: Check, candidate: Candidate, { dryRun, print }: ReleaseOptions): boolean {
  const found = problems(candidate);
  const tolerated = dryRun && skippedInDryRun === true;
  if (found.length === 0) print(`passed   ${name}`);
  else print(tolerated ? `skipped  ${name}: a release would stop here` : `FAILED   ${name}`);
  for (const problem of found) print(`         ${problem}`);
  return found.length === 0 || tolerated;
}

/** Takes the folder of an earlier run, and nobody else's. */
function emptyFolder(out: string): void {
  if (existsSync(out) && readdirSync(out).length > 0 && !existsSync(join(out, notesFile))) {
    throw new UserError(`${out} has files that are not of a release: choose another --out`);
  }
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
}

/** The programs say the tag as their version, so it has to be there before they are built. */
function publish(candidate: Candidate, { root, out, print, buildPrograms, buildImages }: ReleaseOptions): void {
  const { tag, commit } = candidate;
  git(root, "tag", "--annotate", tag, "--file", join(out, notesFile), "--cleanup=verbatim", commit);
  try {
    const different = buildPrograms(root, join(out, "programs"));
    if (different.length > 0) throw new UserError(`the build is not reproducible: ${different.join(", ")}`);
    print("passed   reproducible build");
    buildImages(candidate, join(out, "images"));
    writeArchives(candidate, out);
    writeAllChecksums(out);
  } catch (error) {
    git(root, "tag", "--delete", tag);
    throw error;
  }
}
