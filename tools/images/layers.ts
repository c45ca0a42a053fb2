import { baseEntries, basePackages } from "./debian/base.ts";
import type { DebianPackage } from "./debian/packages.ts";
import { type ImageDescription, type Platform, partsOf } from "./description.ts";
import { type Layer, layerOf } from "./oci/layer.ts";
import { programEntries } from "./program-entries.ts";
import { hostProcessBase } from "./windows/base.ts";

/** What layers are made from. */
export interface LayerSources {
  /** A program that was built for a platform. */
  readonly program: (name: string, platform: Platform) => Promise<Uint8Array>;
  readonly debianPackage: (name: string, architecture: string) => DebianPackage | Promise<DebianPackage>;
  /** The text of our license. */
  readonly license: string;
  /** In seconds since 1970. */
  readonly time: number;
}

/** The layers of images; each is made once, and shared by the images that need the same. */
export class Layers {
  readonly #sources: LayerSources;
  readonly #made = new Map<string, Layer>();

  constructor(sources: LayerSources) {
    this.#sources = sources;
  }

  /** The base and the program. On Windows both are one layer, because only the lowest needs no rights recorded with its files. */
  async of(image: ImageDescription, platform: Platform): Promise<readonly Layer[]> {
    const { program, license, time } = this.#sources;
    const content = await program(image.program.name, platform);
    const programs = programEntries(image, platform, content);
    const { os, architecture } = partsOf(platform);
    if (os === "windows") {
      return [
        await this.#layer([platform, image.program], "program", () => layerOf("program", [...hostProcessBase(license), ...programs], time)),
      ];
    }
    const packages = packagesOf(image);
    return [
      await this.#layer([platform, image.tools], "base", async () => {
        const found: DebianPackage[] = [];
        for (const name of packages) found.push(await this.#sources.debianPackage(name, architecture));
        return layerOf(`files of Debian's ${packages.join(", ")}`, baseEntries(found, image.tools, [content]), time);
      }),
      await this.#layer([platform, image.program], "program", () => layerOf(`the program ${image.program.name}`, programs, time)),
    ];
  }

  async #layer(of: readonly unknown[], part: string, make: () => Layer | Promise<Layer>): Promise<Layer> {
    const key = JSON.stringify([part, ...of]);
    const layer = this.#made.get(key) ?? (await make());
    this.#made.set(key, layer);
    return layer;
  }
}

/** Of Debian's packages, those that an image has something of. */
export function packagesOf({ tools }: Pick<ImageDescription, "tools">): readonly string[] {
  return [...new Set([...basePackages, ...tools.map((each) => each.package)])];
}
