import { lstatSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { sha256, writeChecksums } from "../build/checksums.ts";
import { targets } from "../build/runtime.ts";
import { git } from "../git.ts";
import { shippedImages } from "../images/images.ts";
import { npmMaterials } from "../records/npm-packages.ts";
import { provenance } from "../records/provenance.ts";
import { writeArchive } from "./archive.ts";
import { type Candidate, currentFile } from "./candidate.ts";
import { releaseNotes, upgradeNotes } from "./notes.ts";
import { runTool } from "./run-tool.ts";
import { sbom } from "./sbom.ts";

/** The texts of a release: quick, and all that a dry run writes. */
export function writeTexts(candidate: Candidate, out: string): void {
  const { root, tag, commit } = candidate;
  const { license } = JSON.parse(currentFile(candidate, "package.json"));
  const time = Number(git(root, "log", "-1", "--format=%ct", commit));
  const lockfile = currentFile(candidate, "package-lock.json");
  writeFileSync(join(out, "RELEASE_NOTES.md"), releaseNotes(candidate));
  writeFileSync(join(out, "UPGRADE.md"), upgradeNotes(candidate, join(root, "parity")));
  writeJson(join(out, "sbom.spdx.json"), sbom({ tag, commit, time, license, lockfile }));
}

/** How the programs were built, beside them. */
export function writeProvenance(candidate: Candidate, programs: string): void {
  const { tag, version, commit } = candidate;
  const subjects = filesBelow(programs)
    .filter((file) => basename(file) !== "SHA256SUMS")
    .map((file) => ({ name: relative(programs, file), sha256: sha256(file) }));
  const parameters = { platforms: targets.map(({ name }) => name), tag };
  const materials = npmMaterials(currentFile(candidate, "package-lock.json"), targets);
  writeJson(join(programs, "provenance.json"), provenance(subjects, materials, { command: "build:all", parameters, version, commit }));
}

function writeJson(file: string, value: object): void {
  writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`);
}

/** The sources and the manifests, as the commit has them. */
export function writeArchives({ root, tag, commit }: Candidate, out: string): void {
  writeArchive(root, commit, { file: join(out, `csi-sidecars-${tag}.tar.gz`), prefix: `csi-sidecars-${tag}` });
  writeArchive(root, commit, { file: join(out, `manifests-${tag}.tar.gz`), prefix: `csi-sidecars-${tag}`, path: "deploy" });
}

export async function buildImages({ root, tag }: Candidate, out: string, signal: AbortSignal): Promise<void> {
  const names = shippedImages.map(({ name }) => name).join(",");
  await runTool(root, ["tools/images/main.ts", "--out", out, "--tag", tag, "--only", names], signal);
}

/** Writes the checksums of everything below a folder. */
export function writeAllChecksums(folder: string): void {
  const sums = join(folder, "SHA256SUMS");
  writeChecksums(
    folder,
    filesBelow(folder).filter((file) => file !== sums),
  );
}

/** Links are left out: they are other names of files in the list. */
function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder)
    .toSorted()
    .flatMap((name) => {
      const path = join(folder, name);
      const stat = lstatSync(path);
      if (stat.isDirectory()) return filesBelow(path);
      return stat.isFile() ? [path] : [];
    });
}
