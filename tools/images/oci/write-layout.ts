import { existsSync, linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Blob, blobPath, descriptorOf, mediaTypes } from "./blob.ts";
import type { PlatformImage } from "./image.ts";

export interface Layout {
  readonly folder: string;
  readonly tag: string;
  readonly index: Blob;
  readonly platformImages: readonly PlatformImage[];
  /** Other layouts: a blob that one of them has is a link to theirs. */
  readonly neighbours: readonly string[];
}

/** Writes an OCI image layout: a folder of blobs, and `index.json`, which has the image under its tag. What was there is replaced. */
export function writeLayout({ folder, tag, index, platformImages, neighbours }: Layout): void {
  const blobs = platformImages.flatMap(({ manifest, config, layers }) => [manifest, config, ...layers.map(({ blob }) => blob)]);
  const fresh = `${folder}.building-${process.pid}`;
  try {
    for (const blob of [index, ...blobs]) writeBlob(fresh, blob, neighbours);
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
