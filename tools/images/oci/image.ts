import { createdAt } from "../../records/created-at.ts";
import { type ImageDescription, type Platform, partsOf } from "../description.ts";
import { entrypointOf, environmentOf } from "../program-entries.ts";
import { type Blob, descriptorOf, jsonBlob, mediaTypes } from "./blob.ts";
import type { Layer } from "./layer.ts";

/** The image for one platform. */
export interface PlatformImage {
  readonly platform: Platform;
  readonly config: Blob;
  readonly manifest: Blob;
  readonly layers: readonly Layer[];
}

/** What the images of a build have in common. */
export interface Release {
  readonly version: string;
  readonly commit: string | undefined;
  /** In seconds since 1970. */
  readonly time: number;
  readonly license: string;
}

/**
 * Ctrl-Break, by its number. containerd turns its default, SIGTERM, into the event of a Windows that shuts down, at which the runtime ends
 * the process at once: no call under way would finish.
 */
export const windowsStopSignal = "1";

export function platformImage(image: ImageDescription, platform: Platform, layers: readonly Layer[], release: Release): PlatformImage {
  const created = createdAt(release.time);
  const config = jsonBlob({
    created,
    ...partsOf(platform),
    config: {
      ...(image.user && { User: image.user }),
      Env: environmentOf(platform),
      Entrypoint: entrypointOf(image, platform),
      ...(partsOf(platform).os === "windows" ? { StopSignal: windowsStopSignal } : { WorkingDir: "/" }),
      Labels: labelsOf(image, release),
    },
    rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ comment }) => ({ created, created_by: comment })),
  });
  const manifest = jsonBlob({
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: descriptorOf(mediaTypes.config, config),
    layers: layers.map(({ blob }) => descriptorOf(mediaTypes.layer, blob)),
    annotations: labelsOf(image, release),
  });
  return { platform, config, manifest, layers };
}

/** The index of the images for all platforms: what a tag of a registry names. */
export function imageIndex(image: ImageDescription, images: readonly PlatformImage[], release: Release): Blob {
  return jsonBlob({
    schemaVersion: 2,
    mediaType: mediaTypes.index,
    manifests: images.map(({ platform, manifest }) => ({
      ...descriptorOf(mediaTypes.manifest, manifest),
      platform: partsOf(platform),
    })),
    annotations: labelsOf(image, release),
  });
}

function labelsOf({ name, about }: ImageDescription, release: Release): Readonly<Record<string, string>> {
  const { version, commit, license } = release;
  return {
    "org.opencontainers.image.created": createdAt(release.time),
    "org.opencontainers.image.description": about,
    "org.opencontainers.image.licenses": license,
    ...(commit && { "org.opencontainers.image.revision": commit }),
    "org.opencontainers.image.title": name,
    "org.opencontainers.image.version": version,
  };
}
