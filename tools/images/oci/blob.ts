import { createHash } from "node:crypto";

/** Bytes that are found by their digest. */
export interface Blob {
  readonly digest: string;
  readonly bytes: Uint8Array;
}

export const mediaTypes = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
} as const;

/** How one document names a blob. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

export const blobOf = (bytes: Uint8Array): Blob => ({ digest: digestOf(bytes), bytes });
export const jsonBlob = (document: object): Blob => blobOf(new TextEncoder().encode(JSON.stringify(document)));
export const digestOf = (bytes: Uint8Array): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
export const descriptorOf = (mediaType: string, { digest, bytes }: Blob): Descriptor => ({ mediaType, digest, size: bytes.length });

/** Where a blob is in an OCI layout, and in the archives that we write. */
export const blobPath = (digest: string) => `blobs/${digest.replace(":", "/")}`;
