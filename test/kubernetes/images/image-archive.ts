import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../machine/run-command.ts";

/** A folder's files as a layer of images. */
export interface Layer {
  readonly digest: string;
  readonly size: number;
}

export interface Image {
  /** All names that it is imported under. */
  readonly names: readonly string[];
  /** The lowest first. */
  readonly layers: readonly Layer[];
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
}

/** Collects images in a folder, in the layout of the Open Container Initiative, and writes them to one archive. */
export class ImageArchive {
  readonly #folder: string;
  readonly #manifests: object[] = [];

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(join(folder, "blobs/sha256"), { recursive: true });
  }

  addLayer(rootFilesystem: string): Layer {
    const file = join(this.#folder, "layer.tar");
    runCommand("tar", [
      "--create",
      "--owner=0",
      "--group=0",
      "--numeric-owner",
      "--mtime=@0",
      `--directory=${rootFilesystem}`,
      `--file=${file}`,
      ".",
    ]);
    const digest = sha256(readFileSync(file));
    const size = statSync(file).size;
    renameSync(file, join(this.#folder, "blobs/sha256", digest));
    return { digest: `sha256:${digest}`, size };
  }

  addImage({ names, layers, entrypoint, command }: Image): void {
    const config = this.#addJson({
      architecture: "amd64",
      os: "linux",
      rootfs: { type: "layers", diff_ids: layers.map(({ digest }) => digest) },
      config: { Entrypoint: entrypoint, Cmd: command, WorkingDir: "/", Env: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"] },
    });
    const manifest = this.#addJson({
      schemaVersion: 2,
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      config: { mediaType: "application/vnd.oci.image.config.v1+json", ...config },
      layers: layers.map((layer) => ({ mediaType: "application/vnd.oci.image.layer.v1.tar", ...layer })),
    });
    for (const name of names) {
      const annotations = { "io.containerd.image.name": name };
      this.#manifests.push({ mediaType: "application/vnd.oci.image.manifest.v1+json", ...manifest, annotations });
    }
  }

  write(file: string): void {
    writeFileSync(join(this.#folder, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
    writeFileSync(join(this.#folder, "index.json"), JSON.stringify({ schemaVersion: 2, manifests: this.#manifests }));
    runCommand("tar", ["--create", `--directory=${this.#folder}`, `--file=${file}`, "oci-layout", "index.json", "blobs"]);
  }

  #addJson(value: object): Layer {
    const data = JSON.stringify(value);
    const digest = sha256(data);
    writeFileSync(join(this.#folder, "blobs/sha256", digest), data);
    return { digest: `sha256:${digest}`, size: Buffer.byteLength(data) };
  }
}

function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
