/** What the loader looks for when it starts a program or library: names of libraries, and for programs the path of the loader. */
export interface Linked {
  readonly loader: string | undefined;
  readonly libraries: readonly string[];
}

/** Reads the program headers and the dynamic section of a 64-bit little-endian ELF file; `undefined` if it is none. */
export function readElf(file: Uint8Array): Linked | undefined {
  if (file.length < 64 || Buffer.from(file.subarray(0, 6)).toString("latin1") !== "\x7fELF\x02\x01") return undefined;
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const number = (at: number) => Number(view.getBigUint64(at, true));
  const text = (at: number) => Buffer.from(file.subarray(at, file.indexOf(0, at))).toString("latin1");
  const [start, size, count] = [number(32), view.getUint16(54, true), view.getUint16(56, true)];
  const segments = Array.from({ length: count }, (_, index) => {
    const at = start + index * size;
    return { type: view.getUint32(at, true), offset: number(at + 8), address: number(at + 16), size: number(at + 32) };
  });
  const offsetOf = (address: number) => {
    const segment = segments.find((each) => each.type === 1 && address >= each.address && address < each.address + each.size);
    return segment ? address - segment.address + segment.offset : address;
  };
  const loader = segments.find(({ type }) => type === 3);
  const dynamic = segments.find(({ type }) => type === 2);
  const tags: [tag: number, value: number][] = [];
  for (let at = dynamic?.offset ?? 0; dynamic && at < dynamic.offset + dynamic.size; at += 16) tags.push([number(at), number(at + 8)]);
  const names = offsetOf(tags.find(([tag]) => tag === 5)?.[1] ?? 0);
  return {
    loader: loader && text(loader.offset),
    libraries: tags.filter(([tag]) => tag === 1).map(([, value]) => text(names + value)),
  };
}
