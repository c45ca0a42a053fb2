import { parseArgs } from "node:util";
import { type ImageDescription, type Platform, platforms } from "./description.ts";

export interface Options {
  readonly images: readonly ImageDescription[];
  readonly platforms: readonly Platform[];
  readonly out: string;
  readonly tag: string | undefined;
  readonly update: boolean;
  readonly help: boolean;
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
      help: { type: "boolean", default: false },
    },
  });
  const { tag } = values;
  if (tag !== undefined && !/^\w[\w.-]{0,127}$/.test(tag))
    throw new Error(`--tag=${tag}: a tag is of letters, digits, _, . and -, at most 128`);
  return {
    platforms: chosen("--platform", values.platform, platforms, (each) => each),
    images: chosen("--only", values.only, images, ({ name }) => name),
    out: values.out,
    tag,
    update: values.update,
    help: values.help,
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

export const help = `npm run images -- [options]: builds the images of the programs.

  --out <folder>           where they are written to (default: dist/images)
  --platform <os/arch,...> ${platforms.join(", ")} (default: all)
  --only <name,...>        some of the images (default: all)
  --tag <tag>              what they are tagged with (default: the release of the commit; of another one or with changes canary,
                           on a branch release-0.1 0.1-canary)
  --update                 builds nothing, and locks the newest versions of Debian's packages that APT knows

Packages that APT no longer has, because Debian has replaced the locked version, come from where CSI_SIDECARS_DEBIAN says: folders with .deb files and base
URLs of archives (an archive of Debian or of its security updates, or files named <SHA-256>.deb), separated by spaces. Only what the lock has is taken.
`;
