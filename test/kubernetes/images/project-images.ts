import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { images } from "../../../tools/images/images.ts";

const root = join(import.meta.dirname, "../../..");
const folder = join(root, "dist/images");
const tag = "e2e";

/** What the manifests of `deploy/ours` run. */
export const ourImages = ["csi-sidecars", "snapshot-controller", "hostpath"];

/** The images of single sidecars, which upstream's own manifests use. */
export const individualImages = images
  .filter(({ name, program }) => name !== "csi-sidecars" && program.name === "csi-sidecars")
  .map(({ name }) => name);

/** Builds images as `npm run images` does. */
export function buildProjectImages(names: readonly string[]): void {
  const args = ["--platform=linux/amd64", `--only=${names.join(",")}`, `--tag=${tag}`, `--out=${folder}`];
  const { status } = spawnSync(process.execPath, [join(root, "tools/images/main.ts"), ...args], { stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) throw new Error(`npm run images -- ${args.join(" ")} failed`);
}

export function imageArchive(name: string): string {
  return join(folder, `${name}-amd64.tar`);
}

/** How containerd calls the image of the archive. */
export function imageReference(name: string): string {
  return `docker.io/library/${name}:${tag}`;
}

/** What upstream calls the image that does the same. */
export function upstreamName(name: string): string {
  return images.find((image) => image.name === name)?.startedAs ?? name;
}
