import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { programPaths } from "../node/program-paths.ts";
import { makeProgramImages, programsIn } from "./program-images.ts";
import { imageArchive, imageReference, upstreamName } from "./project-images.ts";
import { makeSuiteImages, shortName, suiteImageNames } from "./suite-images.ts";

export interface ImageOptions {
  /** Those of `npm run images` that the node needs. */
  readonly projectImages: readonly string[];
  /** A folder of programs that become images, each under its name. */
  readonly peers: string | undefined;
  /** Further archives. */
  readonly images: readonly string[];
}

export interface PreparedImages {
  readonly archives: readonly string[];
  /** Further names of images in the archives. */
  readonly otherNames: readonly { readonly image: string; readonly name: string }[];
  /** The image that keeps a pod's namespaces. */
  readonly pauseImage: string;
}

/** Makes the archives of all images that the node needs: no registry is asked for any. */
export function prepareImages({ projectImages, peers, images }: ImageOptions, work: string): PreparedImages {
  const { node } = programPaths(process.env);
  const upstream = suiteImageNames(join(node, "e2e.test"));
  const namesOf = (name: string) => [deployedImage(name), ...upstream.filter((image) => shortName(image) === upstreamName(name))];
  mkdirSync(join(work, "suite"), { recursive: true });
  const suiteArchive = join(work, "suite.tar");
  const pauseImage = makeSuiteImages(upstream, join(node, "agnhost"), join(work, "suite"), suiteArchive);
  const archives = [suiteArchive, ...projectImages.map(imageArchive), ...images];
  if (peers !== undefined) {
    mkdirSync(join(work, "peers"));
    const archive = join(work, "peers.tar");
    const programs = programsIn(peers).filter((name) => !projectImages.includes(name));
    makeProgramImages(
      programs.map((name) => ({ program: join(peers, name), names: namesOf(name) })),
      join(work, "peers"),
      archive,
    );
    archives.push(archive);
  }
  const otherNames = projectImages.flatMap((name) => namesOf(name).map((other) => ({ image: imageReference(name), name: other })));
  return { archives, otherNames, pauseImage };
}

/** The name that the manifests of `deploy/` give an image. */
function deployedImage(name: string): string {
  return `registry.example.com/${name}:v0.1.0`;
}
