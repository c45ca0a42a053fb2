/** Offsets in STORAGE_DEVICE_ID_DESCRIPTOR: version, size, number of identifiers, identifiers. */
const countOffset = 8;
const firstIdentifier = 12;

/** Offsets in STORAGE_IDENTIFIER: code set, type, size of the bytes, distance to the next identifier, association, bytes. */
const codeSetOffset = 0;
const sizeOffset = 8;
const nextOffset = 10;
const associationOffset = 12;
const bytesOffset = 16;

const ofDevice = 0;
const binary = 1;
const ascii = 2;

/**
 * The identifier of a disk in the descriptor that Windows answers IOCTL_STORAGE_QUERY_PROPERTY with: the first one that names the device
 * and not a port of it. Text stays as it is (`Google  persistent-disk-0`), bytes become lower-case hex. Empty where there is none, or
 * where the descriptor ends too early.
 */
export function parsePage83(descriptor: Uint8Array): string {
  const view = new DataView(descriptor.buffer, descriptor.byteOffset, descriptor.byteLength);
  if (view.byteLength < firstIdentifier) return "";
  const count = view.getUint32(countOffset, true);
  let at = firstIdentifier;
  for (let seen = 0; seen < count && at + bytesOffset <= view.byteLength; seen++) {
    const codeSet = view.getUint32(at + codeSetOffset, true);
    const isDevice = view.getUint32(at + associationOffset, true) === ofDevice;
    if (isDevice && (codeSet === binary || codeSet === ascii)) {
      const start = at + bytesOffset;
      const end = start + view.getUint16(at + sizeOffset, true);
      if (end > view.byteLength) return "";
      return Buffer.from(descriptor.subarray(start, end)).toString(codeSet === ascii ? "latin1" : "hex");
    }
    const distance = view.getUint16(at + nextOffset, true);
    if (distance === 0) return "";
    at += distance;
  }
  return "";
}
