import { renameSync, rmSync, writeFileSync } from "node:fs";
import { file } from "../archive/entry.ts";
import { writeTar } from "../archive/write-tar.ts";
import { blobPath } from "./blob.ts";
import type { PlatformImage } from "./image.ts";

export interface NamedImage {
  /** `<name>:<tag>`. */
  readonly reference: string;
  readonly image: PlatformImage;
}

/** Writes an image for one platform as `docker save` does, for `docker load` and `ctr images import`. */
export function writeDockerArchive(path: string, { reference, image }: NamedImage, time: number): void {
  const { config, layers } = image;
  const blobs = [config, ...layers.map(({ blob }) => blob)].map(({ digest, bytes }) => file(blobPath(digest), bytes));
  const manifest = [{ Config: blobPath(config.digest), RepoTags: [reference], Layers: layers.map(({ blob }) => blobPath(blob.digest)) }];
  const fresh = `${path}.building-${process.pid}`;
  try {
    writeFileSync(fresh, writeTar([...blobs, file("manifest.json", JSON.stringify(manifest))], time));
    renameSync(fresh, path);
  } finally {
    rmSync(fresh, { force: true });
  }
}
