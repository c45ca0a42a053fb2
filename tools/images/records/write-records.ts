import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256, writeChecksums } from "../../build/checksums.ts";
import { type Build, provenance } from "../../records/provenance.ts";
import type { BuiltImage } from "../build-images.ts";
import { readLock } from "../debian/lock.ts";
import type { Release } from "../oci/image.ts";
import { materialsOf } from "./materials.ts";
import { imageSbom } from "./sbom.ts";

/** Writes beside images what they are made of (`<name>.spdx.json`), how they were built (`provenance.json`), and `SHA256SUMS` of all files. */
export function writeRecords(
  root: string,
  out: string,
  built: readonly BuiltImage[],
  parameters: Build["parameters"],
  release: Release,
): void {
  const [lockfile, debian] = [readFileSync(join(root, "package-lock.json"), "utf8"), readLock()];
  const write = (name: string, document: object) => {
    const path = join(out, name);
    writeFileSync(path, `${JSON.stringify(document, null, 2)}\n`);
    return path;
  };
  const all = built.map((each) => {
    const materials = materialsOf(
      each.image,
      each.platformImages.map(({ platform }) => platform),
      lockfile,
      debian,
    );
    return { materials, sbom: write(`${each.image.name}.spdx.json`, imageSbom(each, materials, release)) };
  });
  const archives = built.flatMap((each) => each.archives);
  const subjects = [
    ...built.map(({ image, digest }) => ({ name: image.name, sha256: digest.slice("sha256:".length) })),
    ...archives.map((archive) => ({ name: archive.slice(out.length + 1), sha256: sha256(archive) })),
  ];
  const statement = write(
    "provenance.json",
    provenance(
      subjects,
      all.flatMap(({ materials }) => materials),
      { command: "images", parameters, version: release.version, commit: release.commit },
    ),
  );
  writeChecksums(out, [...archives, ...built.map(({ layout }) => join(layout, "index.json")), ...all.map(({ sbom }) => sbom), statement]);
}
