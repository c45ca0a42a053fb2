import type { Material } from "./material.ts";

/** Something that was built, by its file or name. */
export interface Subject {
  readonly name: string;
  readonly sha256: string;
}

/** How something was built. */
export interface Build {
  /** The script in package.json. */
  readonly command: string;
  readonly parameters: Readonly<Record<string, string | readonly string[]>>;
  readonly version: string;
  readonly commit: string | undefined;
}

/**
 * How something was built from what, as an in-toto statement with SLSA's predicate. It is not signed: whoever publishes it signs it with their
 * key. It says nothing of the machine or the moment, so that it is the same for the same commit.
 */
export function provenance(
  subjects: readonly Subject[],
  materials: readonly Material[],
  { command, parameters, version, commit }: Build,
): object {
  const sources = commit ? [{ name: "csi-sidecars", digest: { gitCommit: commit }, annotations: { version } }] : [];
  const unique = [...new Map(materials.map((material) => [material.purl, material])).values()];
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: subjects.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: `urn:csi-sidecars:npm-run-${command.replace(":", "-")}:v1`,
        externalParameters: parameters,
        resolvedDependencies: [
          ...sources,
          ...unique.map(({ purl, checksum }) => ({ uri: purl, digest: { [checksum.algorithm.toLowerCase()]: checksum.hex } })),
        ],
      },
      runDetails: { builder: { id: "urn:csi-sidecars:builder:unsigned" } },
    },
  };
}
