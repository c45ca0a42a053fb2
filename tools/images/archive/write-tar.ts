import { type Entry, inOrder } from "./entry.ts";

const blockSize = 512;
const typeFlags = { file: "0", folder: "5", link: "2" } as const;

/** A tar archive that depends on its arguments alone: sorted, everything of root, and of one time (in seconds since 1970). */
export function writeTar(entries: readonly Entry[], time: number): Uint8Array<ArrayBuffer> {
  const parts = inOrder(entries).flatMap((entry) => {
    const content = entry.type === "file" ? entry.content : new Uint8Array();
    return [...longNames(entry, time), header(entry, content.length, time), content, padding(content.length)];
  });
  return Buffer.concat([...parts, new Uint8Array(2 * blockSize)]);
}

function header(entry: Entry, size: number, time: number): Uint8Array {
  const name = entry.type === "folder" ? `${entry.path}/` : entry.path;
  const mode = entry.type === "link" ? 0o777 : entry.mode;
  return block(typeFlags[entry.type], name, entry.type === "link" ? entry.target : "", mode, size, time);
}

/** The header before a header that says what does not fit into its fields, as POSIX has it. */
function longNames(entry: Entry, time: number): readonly Uint8Array[] {
  const name = entry.type === "folder" ? `${entry.path}/` : entry.path;
  const records = [
    ...(fits(name) ? [] : [record("path", name)]),
    ...(entry.type === "link" && !fits(entry.target) ? [record("linkpath", entry.target)] : []),
  ];
  if (records.length === 0) return [];
  const text = new TextEncoder().encode(records.join(""));
  return [block("x", "pax", "", 0o644, text.length, time), text, padding(text.length)];
}

const fits = (name: string) => Buffer.byteLength(name) <= 100 && !/[^\x20-\x7e]/.test(name);

/** `<length> <key>=<value>\n`, where the length counts itself. */
function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const size = Buffer.byteLength(rest);
  const digits = String(size + String(size).length).length;
  return `${size + digits}${rest}`;
}

function block(typeFlag: string, name: string, target: string, mode: number, size: number, time: number): Uint8Array {
  const bytes = Buffer.alloc(blockSize);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`;
  bytes.write(name, 0, 100);
  bytes.write(octal(mode, 7), 100);
  bytes.write(octal(0, 7), 108);
  bytes.write(octal(0, 7), 116);
  bytes.write(octal(size, 11), 124);
  bytes.write(octal(time, 11), 136);
  bytes.write("        ", 148);
  bytes.write(typeFlag, 156);
  bytes.write(target, 157, 100);
  bytes.write("ustar\u000000", 257);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return bytes;
}

const padding = (size: number) => new Uint8Array((blockSize - (size % blockSize)) % blockSize);
