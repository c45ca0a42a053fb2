import { readFileSync } from "node:fs";
import { join } from "node:path";
import { targets } from "../../build/runtime.ts";
import type { Lock } from "../debian/lock.ts";
import { type ImageDescription, type Platform, partsOf } from "../description.ts";
import { packagesOf } from "../layers.ts";

/** Something of others that is in an image. */
export interface Material {
  readonly name: string;
  readonly version: string;
  /** As SPDX has it; `undefined` where the license is a text in the image. */
  readonly license: string | undefined;
  /** A package URL. */
  readonly purl: string;
  readonly checksum: { readonly algorithm: "SHA256" | "SHA512"; readonly hex: string };
}

interface NpmPackage {
  readonly version: string;
  readonly integrity: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
}

/** What an image for some platforms is made of, besides our own sources: the runtime, the npm packages that ship, and Debian's packages. */
export function materialsOf(
  image: ImageDescription,
  chosen: readonly Platform[],
  npm: ReadonlyMap<string, NpmPackage>,
  debian: Lock,
): readonly Material[] {
  const runtimes = targets
    .filter(({ name }) => chosen.some((platform) => platform.replace("/", "-") === name))
    .map((target) => target.runtimePackage);
  const shipped = [...npm].filter(([name, { dev, link }]) => name !== "" && !dev && !link).map(([name]) => name);
  const architectures = chosen.map(partsOf).filter(({ os }) => os === "linux");
  return [
    ...[...runtimes, ...shipped].map((name) => npmMaterial(name, npm.get(name))),
    ...architectures.flatMap(({ architecture }) => packagesOf(image).map((name) => debianMaterial(name, architecture, debian))),
  ];
}

/** The packages of the lockfile, by where they are in node_modules. */
export function lockedNpmPackages(root: string): ReadonlyMap<string, NpmPackage> {
  const lock: { packages: Record<string, NpmPackage> } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const prefix = "node_modules/";
  return new Map(
    Object.entries(lock.packages).flatMap(([path, locked]) =>
      path.startsWith(prefix) ? [[path.slice(prefix.length), locked] as const] : [],
    ),
  );
}

function npmMaterial(path: string, locked: NpmPackage | undefined): Material {
  if (!locked) throw new Error(`package-lock.json does not name ${path}: run npm install`);
  const name = path.split("node_modules/").at(-1) ?? path;
  const [algorithm, base64 = ""] = locked.integrity.split("-");
  if (algorithm !== "sha512") throw new Error(`package-lock.json has no SHA-512 of ${path}`);
  return {
    name,
    version: locked.version,
    license: locked.license,
    purl: `pkg:npm/${name.replace("@", "%40")}@${locked.version}`,
    checksum: { algorithm: "SHA512", hex: Buffer.from(base64, "base64").toString("hex") },
  };
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
