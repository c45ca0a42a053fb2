// `npm run images`: OCI images of the programs in dist/images, without a container daemon. `--help` lists the options.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { messageOf } from "@csi-sidecars/base";
import { buildVersion } from "../build/compile.ts";
import { buildImages } from "./build-images.ts";
import { writeLock } from "./debian/lock.ts";
import { LockedPackages } from "./debian/packages.ts";
import { newestVersions } from "./debian/update-lock.ts";
import { defaultTag } from "./default-tag.ts";
import { images } from "./images.ts";
import { packagesOf } from "./layers.ts";
import type { Layer } from "./oci/layer.ts";
import { help, readOptions } from "./options.ts";
import { compiledPrograms } from "./program-source.ts";
import { writeRecords } from "./records/write-records.ts";

const root = join(import.meta.dirname, "../..");

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), images);
  if (options.help) {
    process.stdout.write(help);
    return;
  }
  if (options.update) {
    const packages = [...new Set(images.flatMap(packagesOf))];
    writeLock(newestVersions(packages, ["amd64", "arm64"], process.env));
    return;
  }
  const version = buildVersion(root);
  const { license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const out = resolve(options.out);
  const packages = new LockedPackages(process.env);
  const release = { ...version, time: commitTime(), license: String(license) };
  const tag = options.tag ?? defaultTag(root, version);
  const programs = mkdtempSync(join(tmpdir(), "images-"));
  const built = await buildImages({
    images: options.images,
    platforms: options.platforms,
    release,
    tag,
    out,
    program: compiledPrograms(root, programs, version, process.env),
    debianPackage: (name, architecture) => packages.get(name, architecture),
    license: readFileSync(join(root, "LICENSE"), "utf8"),
  }).finally(() => rmSync(programs, { recursive: true }));
  writeRecords(root, out, built, { images: built.map(({ image }) => image.name), platforms: options.platforms, tag }, release);
  for (const { layout, digest, platformImages } of built) {
    console.log(`${relative(process.cwd(), layout)}  ${digest}`);
    for (const { platform, layers } of platformImages) console.log(`  ${platform}  ${sizeOf(layers)}`);
  }
}

function sizeOf(layers: readonly Layer[]): string {
  const megabytes = (sizes: readonly number[]) => `${(sizes.reduce((sum, size) => sum + size, 0) / 1e6).toFixed(1)} MB`;
  return `${megabytes(layers.map(({ uncompressedSize }) => uncompressedSize))}, ${megabytes(layers.map(({ blob }) => blob.bytes.length))} compressed`;
}

/** When the sources were committed, or what `SOURCE_DATE_EPOCH` says. */
function commitTime(): number {
  const { stdout } = spawnSync("git", ["log", "-1", "--format=%ct"], { cwd: root, encoding: "utf8" });
  return Number(process.env.SOURCE_DATE_EPOCH || stdout || 0);
}

main().catch((error: unknown) => {
  console.error(`images: ${messageOf(error)}`);
  process.exitCode = 1;
});
