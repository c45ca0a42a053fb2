import { components } from "../../cmd/csi-sidecars/components.ts";
import { programs } from "../build/programs.ts";
import { readRecords } from "../parity/records.ts";
import { bothSnapshots, type Candidate, currentFile, previousFile } from "./candidate.ts";
import { dependencies, dependencyChanges } from "./dependencies.ts";
import { kinds } from "./release-note.ts";
import { renderNotes, textsOf } from "./render-notes.ts";
import { sectionsOf } from "./sections.ts";
import { snapshotChanges } from "./snapshot-changes.ts";
import { flagsFile, rbacFile } from "./snapshots.ts";
import { unreleasedTexts } from "./unreleased.ts";

const controllers = [...components.map(({ name }) => name), ...programs.map(({ name }) => name)];

/** The release notes, in upstream's form. */
export function releaseNotes(candidate: Candidate): string {
  const { tag, previous } = candidate;
  const before = previousFile(candidate, "package-lock.json");
  const after = dependencies(currentFile(candidate, "package-lock.json"));
  return renderNotes({
    tag,
    ...(previous !== undefined && { previous }),
    texts: textsIn(candidate),
    dependencies: dependencyChanges(before === undefined ? new Map() : dependencies(before), after),
  });
}

function textsIn(candidate: Candidate) {
  if (candidate.previous === undefined) return unreleasedTexts(currentFile(candidate, "CHANGELOG.md"));
  return textsOf(sectionsOf(candidate.commits, controllers));
}

/** What an operator has to look at before an upgrade: urgent notes, flags, permissions, and which upstream releases are reproduced. */
export function upgradeNotes(candidate: Candidate, parityFolder: string): string {
  const { tag, previous } = candidate;
  const nothing = previous === undefined ? "This is the first release." : "No change.";
  const section = (title: string, lines: readonly string[]) =>
    `## ${title}\n\n${lines.length === 0 ? nothing : lines.map((line) => `- ${line}`).join("\n")}`;
  const flags = bothSnapshots(candidate, flagsFile);
  const rbac = bothSnapshots(candidate, rbacFile);
  const flagChanges = flags && snapshotChanges(flags.before, flags.after);
  const rbacChanges = rbac && snapshotChanges(rbac.before, rbac.after);
  const parity = readRecords(parityFolder).map(
    ({ controller, repository, tag, commit }) => `${controller}: ${repository} ${tag} (${commit.slice(0, 10)})`,
  );
  return `${[
    `# Upgrading to ${tag}`,
    `${previous === undefined ? "The first release; docs/migration.md is about moving over from upstream's sidecars" : `From ${previous}`}. docs/releases.md has the skew that is supported, and the order of an upgrade.`,
    `## ${kinds.urgent}\n\n${textsIn(candidate).get(kinds.urgent) ?? nothing}`,
    section("Flags that are gone or changed", [...(flagChanges?.removed ?? []), ...(flagChanges?.changed ?? [])]),
    section("New flags", flagChanges?.added ?? []),
    section("Permissions that are new or changed", [...(rbacChanges?.added ?? []), ...(rbacChanges?.changed ?? [])]),
    section("Permissions that are no longer needed", rbacChanges?.removed ?? []),
    section("Upstream behaviour", parity),
  ].join("\n\n")}\n`;
}
