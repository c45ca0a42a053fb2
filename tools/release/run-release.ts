import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import { setImmediate } from "node:timers/promises";
import { UserError } from "../../cmd/playground/user-error.ts";
import { git, isIgnored } from "../git.ts";
import { type Candidate, readCandidate } from "./candidate.ts";
import { type Check, checks } from "./checks.ts";
import { writeAllChecksums, writeArchives, writeProvenance, writeTexts } from "./outputs.ts";
import type { Snapshots } from "./snapshots.ts";

export interface ReleaseOptions {
  readonly root: string;
  readonly out: string;
  readonly dryRun: boolean;
  /** Aborted: stop, and leave no tag. */
  readonly signal: AbortSignal;
  /** The day of the release, and what its programs are. */
  readonly today: string;
  readonly snapshots: Snapshots;
  print(line: string): void;
  /** Builds the programs into a folder, and returns what a second build has differently. */
  buildPrograms(root: string, out: string, signal: AbortSignal): Promise<readonly string[]>;
  buildImages(candidate: Candidate, out: string, signal: AbortSignal): Promise<void>;
}

const notesFile = "RELEASE_NOTES.md";

/** Makes a release, or throws and leaves the repository as it was. */
export async function release(options: ReleaseOptions): Promise<void> {
  const { root, out, dryRun, print } = options;
  checkFolder(root, out);
  const candidate = readCandidate(root, options);
  const { tag, commit, previous = "no release" } = candidate;
  print(`${tag} from ${commit.slice(0, 10)}, after ${previous}`);
  const failed = checks.filter((check) => !passes(check, candidate, options));
  if (failed.length > 0) throw new UserError(`not released: ${failed.map(({ name }) => name).join(", ")}`);
  emptyFolder(out);
  writeTexts(candidate, out);
  if (dryRun) print("skipped  reproducible build, programs, images, archives, tag: this is a dry run");
  else await publish(candidate, options);
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

/** What is written must not make the tree one with changes: programs that are built from such a tree say so in their version. */
function checkFolder(root: string, out: string): void {
  const inside = relative(root, out);
  if (isAbsolute(inside) || inside.split(sep)[0] === "..") return;
  if (inside === "" || !isIgnored(root, `${inside}/`))
    throw new UserError(
      `--out ${out} is inside of the work tree and not ignored by git: choose a folder below dist, or outside of ${root}`,
    );
}

/** The programs say the tag as their version, so it has to be there before they are built. */
async function publish(candidate: Candidate, { root, out, print, signal, buildPrograms, buildImages }: ReleaseOptions): Promise<void> {
  const { tag, commit } = candidate;
  signal.throwIfAborted();
  git(root, "tag", "--annotate", tag, "--file", join(out, notesFile), "--cleanup=verbatim", commit);
  try {
    const programs = join(out, "programs");
    const different = await buildPrograms(root, programs, signal);
    if (different.length > 0) throw new UserError(`the build is not reproducible: ${different.join(", ")}`);
    print("passed   reproducible build");
    writeProvenance(candidate, programs);
    await buildImages(candidate, join(out, "images"), signal);
    writeArchives(candidate, out);
    writeAllChecksums(out);
    // A signal that came while this thread was busy is delivered between two tasks.
    await setImmediate();
    signal.throwIfAborted();
  } catch (error) {
    git(root, "tag", "--delete", tag);
    throw error;
  }
}
