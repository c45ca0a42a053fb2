import { win32 } from "node:path";
import { trimRight } from "@csi-sidecars/base";
import { volumeIdOf } from "../volume/volume-id.ts";
import type { Executor, OperationOptions } from "./executor.ts";
import { operationData } from "./operation-data.ts";
import { runOperation } from "./run-operation.ts";

/** What a path is to Windows, without following it. */
export type PathInfo =
  | { readonly kind: "missing" }
  /** A file or directory of its own, or a reparse point that is neither a mount point nor a link (deduplicated or cloud files). */
  | { readonly kind: "plain" }
  /** A folder at which a volume is mounted, or a link to a volume's root. */
  | { readonly kind: "volume"; readonly volumeId: string }
  /** A symbolic link or junction to an absolute path. */
  | { readonly kind: "link"; readonly target: string };

const mountPointTag = 0xa0000003;
const symlinkTag = 0xa000000c;

/** Asks Windows what a path is. One question answers it for mount points, links and everything else. */
export async function pathInfo(executor: Executor, path: string, options?: OperationOptions): Promise<PathInfo> {
  const linkpath = withoutTrailingBackslash(path);
  const answer = operationData("fs.reparseInfo", await runOperation(executor, "fs.reparseInfo", { linkpath }, options));
  if (!answer.boolean("exists")) return { kind: "missing" };
  if (!answer.boolean("isReparsePoint")) return { kind: "plain" };
  const tag = answer.uint32("tag");
  if (tag !== mountPointTag && tag !== symlinkTag) return { kind: "plain" };
  const target = answer.string("target");
  const volumeId = volumeIdOf(target);
  return volumeId === undefined ? { kind: "link", target: absoluteTarget(linkpath, target) } : { kind: "volume", volumeId };
}

/** Where a link leads: its target without the prefixes of Windows' object manager, resolved against the folder that the link is in. */
export function absoluteTarget(link: string, target: string): string {
  const plain = withoutPrefix(target);
  if (!win32.isAbsolute(plain)) return win32.join(win32.dirname(link), plain);
  const isOfCurrentDrive = win32.parse(plain).root === "\\";
  return isOfCurrentDrive ? win32.join(win32.parse(link).root, plain) : plain;
}

/** `\\?\C:\a` and `\??\C:\a` → `C:\a`; `\??\UNC\server\share` → `\\server\share`. Paths inside a volume keep their one absolute form. */
export function withoutPrefix(path: string): string {
  const rest = /^(?:\\\\\?\\|\\\?\?\\)(.*)$/s.exec(path)?.[1];
  if (rest === undefined) return path;
  if (/^UNC\\/i.test(rest)) return `\\${rest.slice(3)}`;
  return /^[a-z]:/i.test(rest) ? rest : `\\\\?\\${rest}`;
}

/** With a trailing backslash Windows looks at what is mounted instead of the mount point. A drive's root cannot do without it. */
function withoutTrailingBackslash(path: string): string {
  return win32.parse(path).root === path ? path : trimRight(path, "\\");
}
