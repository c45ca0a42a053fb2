import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Entry } from "../archive/entry.ts";
import { readTar } from "../archive/read-tar.ts";
import { blobPath, type Descriptor, digestOf, mediaTypes } from "../oci/blob.ts";

/** What the layout has for one platform. */
export interface ValidImage {
  readonly platform: string;
  readonly config: ImageConfig;
  readonly entries: readonly Entry[];
  readonly digest: string;
}

export interface ImageConfig {
  readonly architecture: string;
  readonly os: string;
  readonly created: string;
  readonly config: {
    readonly User?: string;
    readonly Env: readonly string[];
    readonly Entrypoint: readonly string[];
    readonly WorkingDir?: string;
    readonly Labels: Readonly<Record<string, string>>;
  };
  readonly rootfs: { readonly type: string; readonly diff_ids: readonly string[] };
  readonly history: readonly { readonly created: string; readonly created_by: string }[];
}

/** Reads an OCI layout as a strict client does. What breaks the specification is an error: digests, sizes, media types, platforms, blobs that nothing names. */
export function validateLayout(folder: string): { readonly tag: string; readonly digest: string; readonly images: readonly ValidImage[] } {
  const layout = JSON.parse(readFileSync(join(folder, "oci-layout"), "utf8"));
  require(layout.imageLayoutVersion === "1.0.0", `oci-layout is of version ${layout.imageLayoutVersion}`);
  const named = new Set<string>();
  const blob = ({ mediaType, digest, size }: Descriptor, expected: string): Buffer => {
    require(mediaType === expected, `${digest} is of type ${mediaType}, not ${expected}`);
    require(/^sha256:[0-9a-f]{64}$/.test(digest), `${digest} is no SHA-256`);
    const path = join(folder, blobPath(digest));
    require(existsSync(path) && lstatSync(path).isFile(), `${digest} is not there`);
    const bytes = readFileSync(path);
    require(bytes.length === size, `${digest} has ${bytes.length} bytes, not ${size}`);
    require(digestOf(bytes) === digest, `${digest} has another content`);
    named.add(digest.slice("sha256:".length));
    return bytes;
  };
  const document = (descriptor: Descriptor, type: string) => JSON.parse(blob(descriptor, type).toString("utf8"));

  const root = JSON.parse(readFileSync(join(folder, "index.json"), "utf8"));
  require(root.schemaVersion === 2 && root.manifests.length === 1, "index.json does not name one image");
  const index = document(root.manifests[0], mediaTypes.index);
  require(index.schemaVersion === 2 && index.mediaType === mediaTypes.index, "the index does not say what it is");
  const images = index.manifests.map((descriptor: Descriptor & { platform: { os: string; architecture: string } }): ValidImage => {
    const manifest = document(descriptor, mediaTypes.manifest);
    require(manifest.schemaVersion === 2 && manifest.mediaType === mediaTypes.manifest, "a manifest does not say what it is");
    const config: ImageConfig = document(manifest.config, mediaTypes.config);
    const { os, architecture } = descriptor.platform;
    require(config.os === os && config.architecture === architecture, `the image for ${os}/${architecture} is another one's`);
    const layers = manifest.layers.map((layer: Descriptor) => gunzipSync(blob(layer, mediaTypes.layer)));
    const diffIds = layers.map((layer: Buffer) => digestOf(layer));
    require(config.rootfs.type === "layers" && Bun.deepEquals(config.rootfs.diff_ids, diffIds), "the config is about other layers");
    require(config.history.length === layers.length, "the history is about other layers");
    const entries = layers.flatMap((layer: Buffer) => readTar(layer));
    return { platform: `${os}/${architecture}`, config, entries, digest: descriptor.digest };
  });
  const stored = readdirSync(join(folder, "blobs/sha256"));
  require(Bun.deepEquals(new Set(stored), named), `of the blobs ${stored.join(", ")}, only ${[...named].join(", ")} are named`);
  return { tag: root.manifests[0].annotations["org.opencontainers.image.ref.name"], digest: root.manifests[0].digest, images };
}

function require(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(`not a valid OCI layout: ${otherwise}`);
}
