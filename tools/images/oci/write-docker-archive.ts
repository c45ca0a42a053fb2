import { renameSync, rmSync, writeFileSync } from "node:fs";
import { type Entry, file } from "../archive/entry.ts";
import { writeTar } from "../archive/write-tar.ts";
import { blobPath } from "./blob.ts";
import type { PlatformImage } from "./image.ts";

export interface NamedImage {
  /** `<name>:<tag>`. */
  readonly reference: string;
  readonly image: PlatformImage;
}

/** Writes images of one platform as `docker save` does, for `docker load` and `ctr images import`; what they share is in it once. */
export function writeDockerArchive(path: string, images: readonly NamedImage[], time: number): void {
  const blobs: readonly Entry[] = images.flatMap(({ image: { config, layers } }) =>
    [config, ...layers.map(({ blob }) => blob)].map(({ digest, bytes }) => file(blobPath(digest), bytes)),
  );
  const manifest = images.map(({ reference, image: { config, layers } }) => ({
    Config: blobPath(config.digest),
    RepoTags: [reference],
    Layers: layers.map(({ blob }) => blobPath(blob.digest)),
  }));
  const fresh = `${path}.building-${process.pid}`;
  try {
    writeFileSync(fresh, writeTar([...blobs, file("manifest.json", JSON.stringify(manifest))], time));
    renameSync(fresh, path);
  } finally {
    rmSync(fresh, { force: true });
  }
}
