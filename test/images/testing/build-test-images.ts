import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildVersion } from "../../../tools/build/compile.ts";
import { type BuiltImage, buildImages } from "../../../tools/images/build-images.ts";
import { LockedPackages, PackageUnavailable } from "../../../tools/images/debian/packages.ts";
import type { ImageDescription, Platform } from "../../../tools/images/description.ts";
import { packagesOf } from "../../../tools/images/layers.ts";
import { compiledPrograms } from "../../../tools/images/program-source.ts";
import { validateLayout } from "../../../tools/images/testing/validate-layout.ts";

const root = join(import.meta.dirname, "../../..");

/** Builds images from the present sources, as `npm run images` does. */
export function buildTestImages(images: readonly ImageDescription[], platform: Platform, out: string): Promise<readonly BuiltImage[]> {
  const version = buildVersion(root);
  const packages = new LockedPackages(process.env);
  return buildImages({
    images,
    platforms: [platform],
    release: { ...version, time: 0, license: "Apache-2.0" },
    tag: "test",
    out,
    program: compiledPrograms(root, join(out, ".programs"), version, process.env),
    debianPackage: (name, architecture) => packages.get(name, architecture),
    license: "",
  });
}

/** Why images cannot be built here: Debian has replaced a locked package, and nobody else supplies it. */
export async function missingPackages(images: readonly ImageDescription[], architecture: string): Promise<string | undefined> {
  const packages = new LockedPackages(process.env);
  try {
    for (const name of new Set(images.flatMap(packagesOf))) await packages.get(name, architecture);
    return undefined;
  } catch (error) {
    if (error instanceof PackageUnavailable) return error.message;
    throw error;
  }
}

/** Unpacks what the layout of an image for one platform has. */
export function unpack(layout: string, folder: string): void {
  for (const entry of validateLayout(layout).images.flatMap(({ entries }) => entries)) {
    const path = join(folder, entry.path);
    mkdirSync(entry.type === "folder" ? path : dirname(path), { recursive: true });
    if (entry.type === "file") writeFileSync(path, entry.content, { mode: entry.mode });
    if (entry.type === "link") symlinkSync(entry.target, path);
  }
}
