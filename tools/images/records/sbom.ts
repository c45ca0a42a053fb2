import { createdAt } from "../../records/created-at.ts";
import type { Material } from "../../records/material.ts";
import { purlReference, spdxDocument } from "../../records/spdx.ts";
import type { BuiltImage } from "../build-images.ts";
import type { Release } from "../oci/image.ts";

/** The bill of materials of an image. */
export function imageSbom({ image: { name }, digest }: BuiltImage, materials: readonly Material[], release: Release): object {
  return spdxDocument(
    {
      id: "SPDXRef-Image",
      name,
      version: release.version,
      license: release.license,
      namespace: `urn:csi-sidecars:spdx:${name}:${digest}`,
      created: createdAt(release.time),
      tool: "tools/images",
      more: { externalRefs: [purlReference(`pkg:oci/${name}@${encodeURIComponent(digest)}`)], primaryPackagePurpose: "CONTAINER" },
    },
    materials,
  );
}
