/** A file, folder or symbolic link of an image. Owner and time are not said: everything is root's and as old as the commit. */
export type Entry = FileEntry | FolderEntry | LinkEntry;

interface Named {
  /** Without a slash at its start or its end. */
  readonly path: string;
}

export interface FileEntry extends Named {
  readonly type: "file";
  readonly mode: number;
  readonly content: Uint8Array;
}

export interface FolderEntry extends Named {
  readonly type: "folder";
  readonly mode: number;
}

export interface LinkEntry extends Named {
  readonly type: "link";
  readonly target: string;
}

export const file = (path: string, content: string | Uint8Array, mode = 0o644): FileEntry => ({
  type: "file",
  path,
  mode,
  content: typeof content === "string" ? new TextEncoder().encode(content) : content,
});
export const folder = (path: string, mode = 0o755): FolderEntry => ({ type: "folder", path, mode });
export const link = (path: string, target: string): LinkEntry => ({ type: "link", path, target });

/** The entries in order of their paths, with the folders that they are in. The last of two with the same path counts. */
export function inOrder(entries: readonly Entry[]): readonly Entry[] {
  const byPath = new Map<string, Entry>();
  for (const { path } of entries) {
    const parts = path.split("/");
    for (let length = 1; length < parts.length; length++) {
      const parent = parts.slice(0, length).join("/");
      byPath.set(parent, folder(parent));
    }
  }
  for (const entry of entries) byPath.set(entry.path, entry);
  return [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}
