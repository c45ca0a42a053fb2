import { targets } from "../../build/runtime.ts";
import type { Material } from "../../records/material.ts";
import { npmMaterials } from "../../records/npm-packages.ts";
import type { Lock } from "../debian/lock.ts";
import { type ImageDescription, type Platform, partsOf } from "../description.ts";
import { packagesOf } from "../layers.ts";

/** What an image for some platforms is made of, besides our own sources: the runtime, the npm packages that ship, and Debian's packages. */
export function materialsOf(image: ImageDescription, chosen: readonly Platform[], lockfile: string, debian: Lock): readonly Material[] {
  const runtimes = targets.filter(({ name }) => chosen.some((platform) => platform.replace("/", "-") === name));
  const architectures = chosen.map(partsOf).filter(({ os }) => os === "linux");
  return [
    ...npmMaterials(lockfile, runtimes),
    ...architectures.flatMap(({ architecture }) => packagesOf(image).map((name) => debianMaterial(name, architecture, debian))),
  ];
}

function debianMaterial(name: string, architecture: string, lock: Lock): Material {
  const locked = lock[architecture]?.[name];
  if (!locked) throw new Error(`tools/images/debian/packages.lock.json has no ${name} for ${architecture}: run npm run images -- --update`);
  const { version, sha256 } = locked;
  return {
    name,
    version,
    license: undefined,
    purl: `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}`,
    checksum: { algorithm: "SHA256", hex: sha256 },
  };
}
