import type { Material } from "./material.ts";

/** What a bill of materials is about. */
export interface Described {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** Unique, as the specification asks for: something else that is described has another one. */
  readonly namespace: string;
  /** As SPDX has it: when what is described was made. */
  readonly created: string;
  /** Which of our tools writes it. */
  readonly tool: string;
  /** Other fields of its package. */
  readonly more?: object;
}

/** A bill of materials, as SPDX 2.3 has it. */
export function spdxDocument(
  { id, name, version, license, namespace, created, tool, more }: Described,
  materials: readonly Material[],
): object {
  const packages = materials.map(({ checksum, purl, ...material }, index) => ({
    ...spdxPackage({ id: `SPDXRef-Package-${index + 1}`, ...material }),
    externalRefs: [purlReference(purl)],
    checksums: [{ algorithm: checksum.algorithm, checksumValue: checksum.hex }],
  }));
  return {
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name: `${name} ${version}`,
    documentNamespace: namespace,
    creationInfo: { created, creators: [`Tool: csi-sidecars ${tool}`] },
    packages: [{ ...spdxPackage({ id, name, version, license }), ...more }, ...packages],
    relationships: [
      relationship("SPDXRef-DOCUMENT", "DESCRIBES", id),
      ...packages.map(({ SPDXID }) => relationship(id, "CONTAINS", SPDXID)),
    ],
  };
}

export const purlReference = (purl: string) => ({
  referenceCategory: "PACKAGE-MANAGER",
  referenceType: "purl",
  referenceLocator: purl,
});

type Named = Pick<Material, "name" | "version" | "license"> & { readonly id: string };

function spdxPackage({ id, name, version, license }: Named) {
  return {
    SPDXID: id,
    name,
    versionInfo: version,
    downloadLocation: "NOASSERTION",
    filesAnalyzed: false,
    licenseConcluded: "NOASSERTION",
    licenseDeclared: license ?? "NOASSERTION",
    copyrightText: "NOASSERTION",
  };
}

const relationship = (from: string, type: string, to: string) => ({
  spdxElementId: from,
  relationshipType: type,
  relatedSpdxElement: to,
});
