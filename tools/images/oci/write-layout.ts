import { existsSync, linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Blob, blobPath, descriptorOf, mediaTypes } from "./blob.ts";
import type { PlatformImage } from "./image.ts";

/**
 * Writes an OCI image layout: a folder of blobs, and `index.json`, which has the image under its tag. A blob that `neighbours` (other
 * layouts) have is a link to theirs.
 */
export function writeLayout(
  folder: string,
  tag: string,
  index: Blob,
  images: readonly PlatformImage[],
  neighbours: readonly string[] = [],
): void {
  const fresh = `${folder}.building-${process.pid}`;
  try {
    for (const blob of [
      index,
      ...images.flatMap(({ manifest, config, layers }) => [manifest, config, ...layers.map((layer) => layer.blob)]),
    ]) {
      writeBlob(fresh, blob, neighbours);
    }
    writeFileSync(join(fresh, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
    const named = { ...descriptorOf(mediaTypes.index, index), annotations: { "org.opencontainers.image.ref.name": tag } };
    writeFileSync(join(fresh, "index.json"), JSON.stringify({ schemaVersion: 2, mediaType: mediaTypes.index, manifests: [named] }));
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function writeBlob(folder: string, { digest, bytes }: Blob, neighbours: readonly string[]): void {
  const path = join(folder, blobPath(digest));
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  const same = neighbours.map((neighbour) => join(neighbour, blobPath(digest))).find((each) => existsSync(each));
  if (same) linkSync(same, path);
  else writeFileSync(path, bytes);
}
