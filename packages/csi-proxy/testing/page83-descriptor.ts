/**
 * The descriptor of a device with one identifier, as Windows answers for it: `Google  persistent-disk-0` as text, and with `binary` the
 * bytes of a hex text.
 */
export function page83Descriptor(id: string, codeSet: "ascii" | "binary" = "ascii"): Uint8Array {
  if (id === "") return new Uint8Array(12);
  const bytes = Buffer.from(id, codeSet === "ascii" ? "latin1" : "hex");
  const descriptor = Buffer.alloc(28 + bytes.length);
  descriptor.writeUInt32LE(28, 0);
  descriptor.writeUInt32LE(descriptor.length, 4);
  descriptor.writeUInt32LE(1, 8);
  descriptor.writeUInt32LE(codeSet === "ascii" ? 2 : 1, 12);
  descriptor.writeUInt16LE(bytes.length, 20);
  descriptor.set(bytes, 28);
  return descriptor;
}
