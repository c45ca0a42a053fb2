import type { Target } from "../build/runtime.ts";
import type { Material } from "./material.ts";

export interface NpmPackage {
  readonly name: string;
  readonly version: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
}

/** The packages of others that package-lock.json names. */
export function lockedPackages(lockfile: string): readonly NpmPackage[] {
  const { packages = {} }: { packages?: Record<string, Omit<NpmPackage, "name">> } = JSON.parse(lockfile);
  return Object.entries(packages).flatMap(([path, locked]) => {
    const name = path.split("node_modules/").at(-1) ?? "";
    return path.includes("node_modules/") && !locked.link ? [{ ...locked, name }] : [];
  });
}

/** What ships of them: not what is for development alone. */
export function shippedPackages(lockfile: string): readonly NpmPackage[] {
  return lockedPackages(lockfile).filter(({ dev }) => !dev);
}

/** What programs for some platforms are made of, besides our own sources: a runtime each, and the packages that ship. */
export function npmMaterials(lockfile: string, targets: readonly Pick<Target, "runtimePackage">[]): readonly Material[] {
  const locked = lockedPackages(lockfile);
  const runtimes = targets.map(({ runtimePackage }) => {
    const runtime = locked.find(({ name }) => name === runtimePackage);
    if (!runtime) throw new Error(`package-lock.json does not name ${runtimePackage}: run npm install`);
    return runtime;
  });
  return [...runtimes, ...shippedPackages(lockfile)].map(materialOf);
}

function materialOf({ name, version, license, integrity = "" }: NpmPackage): Material {
  const [algorithm, base64 = ""] = integrity.split("-");
  if (algorithm !== "sha512") throw new Error(`package-lock.json has no SHA-512 of ${name}`);
  return {
    name,
    version,
    license,
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    checksum: { algorithm: "SHA512", hex: Buffer.from(base64, "base64").toString("hex") },
  };
}
