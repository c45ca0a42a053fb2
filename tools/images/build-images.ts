import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type ImageDescription, type Platform, partsOf } from "./description.ts";
import { type LayerSources, Layers } from "./layers.ts";
import { imageIndex, type PlatformImage, platformImage, type Release } from "./oci/image.ts";
import { writeDockerArchive } from "./oci/write-docker-archive.ts";
import { writeLayout } from "./oci/write-layout.ts";

export interface ImageBuild extends Omit<LayerSources, "time"> {
  readonly images: readonly ImageDescription[];
  /** Images are built for those of their platforms that are among these. */
  readonly platforms: readonly Platform[];
  readonly release: Release;
  /** What the images are tagged with. */
  readonly tag: string;
  /** The folder that the images are written to. */
  readonly out: string;
}

/** An image, and where it was written to. */
export interface BuiltImage {
  readonly image: ImageDescription;
  readonly layout: string;
  readonly archives: readonly string[];
  /** Of the index of all platforms. */
  readonly digest: string;
  readonly platformImages: readonly PlatformImage[];
}

/**
 * Builds images: each as an OCI layout for all platforms in the folder `<name>`, and for each architecture of Linux as a Docker archive
 * `<name>-<architecture>.tar`. What is the same in several layouts takes space once.
 */
export async function buildImages(build: ImageBuild): Promise<readonly BuiltImage[]> {
  const { release, tag, out } = build;
  mkdirSync(out, { recursive: true });
  const layers = new Layers({ ...build, time: release.time });
  const built: BuiltImage[] = [];
  for (const image of build.images) {
    const platformImages: PlatformImage[] = [];
    for (const platform of image.platforms.filter((each) => build.platforms.includes(each))) {
      platformImages.push(platformImage(image, platform, await layers.of(image, platform), release));
    }
    if (platformImages.length === 0) continue;
    const index = imageIndex(image, platformImages, release);
    const layout = join(out, image.name);
    const neighbours = built.map((each) => each.layout);
    writeLayout({ folder: layout, tag, index, platformImages, neighbours });
    const archives = platformImages.flatMap((each) => {
      const { os, architecture } = partsOf(each.platform);
      if (os !== "linux") return [];
      const archive = join(out, `${image.name}-${architecture}.tar`);
      writeDockerArchive(archive, { reference: `${image.name}:${tag}`, image: each }, release.time);
      return [archive];
    });
    built.push({ image, layout, archives, digest: index.digest, platformImages });
  }
  return built;
}
