import { parseArgs } from "node:util";
import { type ImageDescription, type Platform, platforms } from "./description.ts";

export interface Options {
  readonly images: readonly ImageDescription[];
  readonly platforms: readonly Platform[];
  readonly out: string;
  readonly tag: string | undefined;
  readonly update: boolean;
}

/** Reads the command line; an error names the option and what it takes. */
export function readOptions(argv: readonly string[], images: readonly ImageDescription[]): Options {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      out: { type: "string", default: "dist/images" },
      platform: { type: "string", default: platforms.join(",") },
      only: { type: "string", default: images.map(({ name }) => name).join(",") },
      tag: { type: "string" },
      update: { type: "boolean", default: false },
    },
  });
  return {
    platforms: chosen("--platform", values.platform, platforms, (each) => each),
    images: chosen("--only", values.only, images, ({ name }) => name),
    out: values.out,
    tag: values.tag,
    update: values.update,
  };
}

function chosen<T>(option: string, value: string, all: readonly T[], nameOf: (one: T) => string): readonly T[] {
  const names = value.split(",");
  for (const name of names) {
    if (!all.some((each) => nameOf(each) === name))
      throw new Error(`${option}=${value}: ${name} is not one of ${all.map(nameOf).join(", ")}`);
  }
  return all.filter((each) => names.includes(nameOf(each)));
}
