import type { Release } from "../oci/image.ts";
import type { Material } from "./materials.ts";

/** Something that was built, by its file or name. */
export interface Subject {
  readonly name: string;
  readonly sha256: string;
}

export interface Parameters {
  readonly images: readonly string[];
  readonly platforms: readonly string[];
  readonly tag: string;
}

/**
 * How images were built from what, as an in-toto statement with SLSA's predicate. It is not signed: whoever publishes images signs it with their
 * key. It says nothing of the machine or the moment, so that it is the same for the same commit.
 */
export function provenance(
  subjects: readonly Subject[],
  materials: readonly Material[],
  parameters: Parameters,
  { version, commit }: Release,
): object {
  const sources = commit ? [{ name: "csi-sidecars", digest: { gitCommit: commit }, annotations: { version } }] : [];
  const unique = [...new Map(materials.map((material) => [material.purl, material])).values()];
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: subjects.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "urn:csi-sidecars:npm-run-images:v1",
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
