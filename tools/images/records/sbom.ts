import type { BuiltImage } from "../build-images.ts";
import { createdAt, type Release } from "../oci/image.ts";
import type { Material } from "./materials.ts";

/** The bill of materials of an image, as SPDX 2.3 has it. */
export function spdxDocument({ image, digest }: BuiltImage, materials: readonly Material[], release: Release): object {
  const { version, license } = release;
  const root = "SPDXRef-Image";
  const packages = materials.map(({ checksum, ...material }, index) => ({
    ...spdxPackage({ id: `SPDXRef-Package-${index + 1}`, ...material }),
    checksums: [{ algorithm: checksum.algorithm, checksumValue: checksum.hex }],
  }));
  return {
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name: `${image.name} ${version}`,
    // Unique, as the specification asks for: another image has another digest.
    documentNamespace: `urn:csi-sidecars:spdx:${image.name}:${digest}`,
    creationInfo: { created: createdAt(release), creators: ["Tool: csi-sidecars tools/images"] },
    packages: [
      {
        ...spdxPackage({ id: root, name: image.name, version, license, purl: `pkg:oci/${image.name}@${encodeURIComponent(digest)}` }),
        primaryPackagePurpose: "CONTAINER",
      },
      ...packages,
    ],
    relationships: [
      relationship("SPDXRef-DOCUMENT", "DESCRIBES", root),
      ...packages.map(({ SPDXID }) => relationship(root, "CONTAINS", SPDXID)),
    ],
  };
}

type Named = Pick<Material, "name" | "version" | "license" | "purl"> & { readonly id: string };

function spdxPackage({ id, name, version, license, purl }: Named) {
  return {
    SPDXID: id,
    name,
    versionInfo: version,
    downloadLocation: "NOASSERTION",
    filesAnalyzed: false,
    licenseConcluded: "NOASSERTION",
    licenseDeclared: license ?? "NOASSERTION",
    copyrightText: "NOASSERTION",
    externalRefs: [{ referenceCategory: "PACKAGE-MANAGER", referenceType: "purl", referenceLocator: purl }],
  };
}

const relationship = (from: string, type: string, to: string) => ({
  spdxElementId: from,
  relationshipType: type,
  relatedSpdxElement: to,
});
