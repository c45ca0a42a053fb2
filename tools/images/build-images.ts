import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Entry, file, link } from "./archive/entry.ts";
import { baseEntries, basePackages } from "./debian/base.ts";
import type { DebianPackage } from "./debian/packages.ts";
import type { ImageDescription, Platform } from "./description.ts";
import { imageIndex, type PlatformImage, platformImage, type Release } from "./oci/image.ts";
import { type Layer, layerOf } from "./oci/layer.ts";
import { writeDockerArchive } from "./oci/write-docker-archive.ts";
import { writeLayout } from "./oci/write-layout.ts";

export interface ImageBuild {
  readonly images: readonly ImageDescription[];
  /** Of those of the images. */
  readonly platforms: readonly Platform[];
  readonly release: Release;
  /** What the images are tagged with. */
  readonly tag: string;
  /** The folder that the images are written to. */
  readonly out: string;
  /** The path of a program that was built for a platform. */
  readonly program: (name: string, platform: Platform) => Promise<string>;
  readonly debianPackage: (name: string, architecture: string) => DebianPackage;
}

export interface BuiltImage {
  readonly name: string;
  readonly layout: string;
  readonly digest: string;
  readonly images: readonly PlatformImage[];
}

/** Builds images: for each a folder `<name>`, an OCI layout for all platforms, and for each platform of Linux an archive `<name>-<architecture>.tar`. */
export async function buildImages(build: ImageBuild): Promise<readonly BuiltImage[]> {
  const { release, tag, out } = build;
  mkdirSync(out, { recursive: true });
  const layers = new Layers(build);
  const built: BuiltImage[] = [];
  for (const image of build.images) {
    const images: PlatformImage[] = [];
    for (const platform of image.platforms.filter((each) => build.platforms.includes(each))) {
      images.push(platformImage(image, platform, await layers.of(image, platform), release));
    }
    if (images.length === 0) continue;
    const index = imageIndex(image, images, release);
    const layout = join(out, image.name);
    writeLayout(
      layout,
      tag,
      index,
      images,
      built.map((each) => each.layout),
    );
    for (const each of images) {
      const [os, architecture] = each.platform.split("/");
      if (os === "linux") {
        writeDockerArchive(
          join(out, `${image.name}-${architecture}.tar`),
          [{ reference: `${image.name}:${tag}`, image: each }],
          release.time,
        );
      }
    }
    built.push({ name: image.name, layout, digest: index.digest, images });
  }
  return built;
}

/** Layers, each made once: images of the same programs share them. */
class Layers {
  readonly #build: ImageBuild;
  readonly #made = new Map<string, Layer>();

  constructor(build: ImageBuild) {
    this.#build = build;
  }

  async of(image: ImageDescription, platform: Platform): Promise<readonly Layer[]> {
    const { program, debianPackage, release } = this.#build;
    const [, architecture = ""] = platform.split("/");
    const programs: Entry[] = [];
    const contents: Uint8Array[] = [];
    for (const { name, otherNames } of image.programs) {
      const content = readFileSync(await program(name, platform));
      contents.push(content);
      programs.push(file(name, content, 0o755), ...otherNames.map((other) => link(other, name)));
    }
    const names = [...new Set([...basePackages, ...image.tools.map((tools) => tools.package)])];
    const packages = () => names.map((name) => debianPackage(name, architecture));
    const make = (comment: string, key: string, entries: () => readonly Entry[]) => {
      const made = this.#made.get(key) ?? layerOf(comment, entries(), release.time);
      this.#made.set(key, made);
      return made;
    };
    const tools = JSON.stringify([platform, names, image.tools]);
    return [
      make(`files of Debian's packages: ${names.join(", ")}`, tools, () => baseEntries(packages(), image.tools, contents)),
      make(`programs: ${image.programs.map(({ name }) => name).join(", ")}`, JSON.stringify([platform, image.programs]), () => programs),
    ];
  }
}
