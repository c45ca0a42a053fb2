import type { Entry } from "./entry.ts";

const blockSize = 512;

/** The files, folders and links of a tar archive (POSIX or GNU). Hard links are read as the file that they lead to; devices are left out. */
export function readTar(archive: Uint8Array): readonly Entry[] {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  const entries = new Map<string, Entry>();
  let long: { path?: string; target?: string } = {};
  for (let at = 0; at + blockSize <= bytes.length; ) {
    const head = bytes.subarray(at, at + blockSize);
    if (head.every((byte) => byte === 0)) break;
    const size = octal(head, 124, 12);
    const content = bytes.subarray(at + blockSize, at + blockSize + size);
    if (content.length < size) throw new Error("the tar archive ends in the middle of a file");
    at += blockSize + Math.ceil(size / blockSize) * blockSize;
    const typeFlag = String.fromCharCode(head[156] ?? 0);
    if (typeFlag === "x") long = { ...long, ...paxNames(content) };
    else if (typeFlag === "L") long = { ...long, path: text(content, 0, size) };
    else if (typeFlag === "K") long = { ...long, target: text(content, 0, size) };
    else {
      const prefix = text(head, 345, 155);
      const name = long.path ?? (prefix && text(head, 257, 6) === "ustar" ? `${prefix}/${text(head, 0, 100)}` : text(head, 0, 100));
      const path = normal(name);
      const target = long.target ?? text(head, 157, 100);
      long = {};
      const entry = entryOf(typeFlag, path, octal(head, 100, 8), content, target, entries);
      if (entry && path !== "") entries.set(path, entry);
    }
  }
  return [...entries.values()];
}

function entryOf(
  typeFlag: string,
  path: string,
  mode: number,
  content: Uint8Array,
  target: string,
  earlier: ReadonlyMap<string, Entry>,
): Entry | undefined {
  if (typeFlag === "0" || typeFlag === "\0") return { type: "file", path, mode, content };
  if (typeFlag === "5") return { type: "folder", path, mode };
  if (typeFlag === "2") return { type: "link", path, target };
  if (typeFlag !== "1") return undefined;
  const linked = earlier.get(normal(target));
  if (!linked) throw new Error(`the hard link ${path} leads to ${target}, which is not in the archive before it`);
  return { ...linked, path };
}

function normal(name: string): string {
  const path = name.startsWith("./") ? name.slice(2) : name;
  return path.endsWith("/") ? path.slice(0, -1) : path === "." ? "" : path;
}

function paxNames(content: Buffer): { path?: string; target?: string } {
  const names: { path?: string; target?: string } = {};
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(" ", at);
    const length = Number(content.toString("latin1", at, space));
    if (!(length > 0)) throw new Error("the tar archive has an extended header that cannot be read");
    const [key = "", value = ""] = split(content.toString("utf8", space + 1, at + length - 1));
    if (key === "path") names.path = value;
    if (key === "linkpath") names.target = value;
    at += length;
  }
  return names;
}

const split = (record: string) => [record.slice(0, record.indexOf("=")), record.slice(record.indexOf("=") + 1)];

function text(bytes: Buffer, from: number, length: number): string {
  const end = bytes.subarray(from, from + length).indexOf(0);
  return bytes.toString("utf8", from, from + (end === -1 ? length : end));
}

const octal = (head: Buffer, from: number, length: number) => Number.parseInt(text(head, from, length).trim() || "0", 8);
