import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { provenance } from "../../records/provenance.ts";
import type { BuiltImage } from "../build-images.ts";
import { readLock } from "../debian/lock.ts";
import { platforms } from "../description.ts";
import { images, shippedImages } from "../images.ts";
import { materialsOf } from "./materials.ts";
import { imageSbom } from "./sbom.ts";

const root = join(import.meta.dirname, "../../..");
const lockfile = readFileSync(join(root, "package-lock.json"), "utf8");
const debian = readLock();
const release = { version: "v1.2.3", commit: "c0ffee", time: 1_700_000_000, license: "Apache-2.0" };
const [sidecars] = images;
const purls = (name: string, chosen = platforms as readonly (typeof platforms)[number][]) =>
  materialsOf(images.find((image) => image.name === name)!, chosen, lockfile, debian).map(({ purl }) => purl);

describe("what an image is made of", () => {
  test("is the runtime of each platform, what ships of npm, and Debian's packages", () => {
    const all = purls("csi-sidecars").map((purl) => purl.replace(/@[^?]*/, ""));
    expect(all).toEqual(
      expect.arrayContaining([
        "pkg:npm/%40oven/bun-linux-x64",
        "pkg:npm/%40oven/bun-windows-x64",
        "pkg:npm/prom-client",
        "pkg:deb/debian/libc6?arch=arm64",
      ]),
    );
    expect(all.filter((purl) => purl.includes("/%40oven/"))).toHaveLength(3);
  });

  test("is nothing that only builds, tests or formats, and no package of our own", () => {
    for (const name of ["typescript", "%40biomejs/biome", "%40grpc/grpc-js", "%40csi-sidecars/base"]) {
      expect(purls("csi-sidecars").some((purl) => purl.startsWith(`pkg:npm/${name}@`))).toBe(false);
    }
  });

  test("is for Windows nothing of Debian, and for hostpath also its tools", () => {
    expect(purls("csi-proxy", ["windows/amd64"]).some((purl) => purl.startsWith("pkg:deb/"))).toBe(false);
    expect(purls("hostpath", ["linux/amd64"]).some((purl) => purl.startsWith("pkg:deb/debian/mount@"))).toBe(true);
  });

  test("has a checksum of the right length, and of npm a license", () => {
    for (const image of shippedImages) {
      for (const { purl, license, checksum } of materialsOf(image, image.platforms, lockfile, debian)) {
        expect(checksum.hex).toMatch(checksum.algorithm === "SHA256" ? /^[0-9a-f]{64}$/ : /^[0-9a-f]{128}$/);
        if (purl.startsWith("pkg:npm/")) expect(license).toBeTruthy();
      }
    }
  });
});

test("a bill of materials describes the image, which contains every material", () => {
  const materials = materialsOf(sidecars!, platforms, lockfile, debian);
  const document = imageSbom({ image: sidecars!, digest: "sha256:abc" } as BuiltImage, materials, release) as Record<string, never>;
  expect(document).toMatchObject({
    spdxVersion: "SPDX-2.3",
    name: "csi-sidecars v1.2.3",
    documentNamespace: "urn:csi-sidecars:spdx:csi-sidecars:sha256:abc",
    creationInfo: { created: "2023-11-14T22:13:20Z" },
  });
  const { packages, relationships } = document as unknown as {
    packages: { SPDXID: string }[];
    relationships: { spdxElementId: string; relatedSpdxElement: string }[];
  };
  expect(packages).toHaveLength(materials.length + 1);
  const ids = new Set([...packages.map(({ SPDXID }) => SPDXID), "SPDXRef-DOCUMENT"]);
  expect(ids.size).toBe(packages.length + 1);
  for (const { spdxElementId, relatedSpdxElement } of relationships)
    expect([ids.has(spdxElementId), ids.has(relatedSpdxElement)]).toEqual([true, true]);
  expect(new Set(relationships.map(({ relatedSpdxElement }) => relatedSpdxElement)).size).toBe(packages.length);
});

test("the provenance names what was built from which commit, and each material once", () => {
  const materials = materialsOf(sidecars!, platforms, lockfile, debian);
  const parameters = { images: ["csi-sidecars"], platforms, tag: "v1.2.3" };
  expect(
    provenance([{ name: "csi-sidecars", sha256: "abc" }], [...materials, ...materials], {
      command: "images",
      parameters,
      version: "v1.2.3",
      commit: "c0ffee",
    }),
  ).toMatchObject({
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ name: "csi-sidecars", digest: { sha256: "abc" } }],
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "urn:csi-sidecars:npm-run-images:v1",
        externalParameters: parameters,
        resolvedDependencies: [{ digest: { gitCommit: "c0ffee" } }, ...materials.map(({ purl }) => ({ uri: purl }))],
      },
    },
  });
});
