import { posix } from "node:path";
import type { Entry } from "../archive/entry.ts";
import { readElf } from "../archive/read-elf.ts";

/** The files named, and the loader and the libraries that they and `programs` need, all from `available`. An error names what is missing. */
export function linkClosure(available: readonly Entry[], files: readonly string[], programs: readonly Uint8Array[]): readonly Entry[] {
  const byPath = new Map(available.map((entry) => [entry.path, entry]));
  const libraries = new Map(available.filter(({ path }) => isLibrary(path)).map(({ path }) => [posix.basename(path), path]));
  const taken = new Map<string, Entry>();

  function take(path: string, why: string): void {
    if (taken.has(path)) return;
    const entry = byPath.get(path);
    if (!entry) throw new Error(`the packages of the image have no /${path}, ${why}`);
    // Who may do what is up to the pod: no program gives more rights than its caller has.
    taken.set(path, entry.type === "file" ? { ...entry, mode: entry.mode & 0o777 } : entry);
    if (entry.type === "link")
      take(posix.join(posix.dirname(entry.target.startsWith("/") ? "/" : path), entry.target).replace(/^\//, ""), `where /${path} leads`);
    if (entry.type === "file") takeLinked(entry.content, `/${path}`);
  }
  function takeLinked(content: Uint8Array, user: string): void {
    const linked = readElf(content);
    if (linked?.loader) take(linked.loader.slice(1), `the loader of ${user}`);
    for (const name of linked?.libraries ?? []) take(libraries.get(name) ?? name, `which ${user} needs`);
  }

  for (const path of files) take(path, "which the description names");
  for (const content of programs) takeLinked(content, "a program");
  return [...taken.values()];
}

const isLibrary = (path: string) => /^(usr\/)?lib\/[^/]+-linux-gnu\/[^/]+$/.test(path);
