import { type Entry, file, link } from "./archive/entry.ts";
import { type ImageDescription, type Platform, partsOf } from "./description.ts";

type Started = Pick<ImageDescription, "program" | "startedAs">;

/** The program in the root of an image. Windows has no links: there a name is the first argument. */
export function programEntries({ program }: Started, platform: Platform, content: Uint8Array): readonly Entry[] {
  const { name, otherNames } = program;
  if (partsOf(platform).os === "windows") return [file(`Files/${name}.exe`, content, 0o755)];
  return [file(name, content, 0o755), ...otherNames.map((other) => link(other, name))];
}

/** How the program is started under its name. */
export function entrypointOf({ program: { name }, startedAs }: Started, platform: Platform): readonly string[] {
  if (partsOf(platform).os === "windows") return [`${name}.exe`, ...(startedAs === name ? [] : [startedAs])];
  return [`/${startedAs}`];
}

/** Where programs are that it starts. */
export function environmentOf(platform: Platform): readonly string[] {
  if (partsOf(platform).os === "windows") {
    return ["PATH=C:\\Windows\\system32;C:\\Windows;C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\"];
  }
  return ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"];
}
