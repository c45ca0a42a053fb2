const pageSize = 4_096;
const none = 0xffff_ffff;

/** The smallest hive of a Windows registry: one key without values, which administrators and the system may change. */
export function emptyRegistryHive(): Uint8Array {
  const descriptor = securityDescriptor();
  const [keyAt, securityAt] = [0x20, 0x78];
  const bin = Buffer.alloc(pageSize);
  bin.write("hbin", 0);
  bin.writeUInt32LE(pageSize, 8);
  const keyEnd = cell(bin, keyAt, keyNode("ROOT", securityAt));
  if (keyEnd !== securityAt) throw new Error(`the key of the hive ends at ${keyEnd}`);
  const end = cell(bin, securityAt, securityNode(descriptor, securityAt));
  // What is free is a cell as well, with a size above zero.
  bin.writeInt32LE(pageSize - end, end);

  const head = Buffer.alloc(pageSize);
  head.write("regf", 0);
  head.writeUInt32LE(1, 4);
  head.writeUInt32LE(1, 8);
  head.writeUInt32LE(1, 20);
  head.writeUInt32LE(3, 24);
  head.writeUInt32LE(1, 32);
  head.writeUInt32LE(keyAt, 36);
  head.writeUInt32LE(pageSize, 40);
  head.writeUInt32LE(1, 44);
  head.writeUInt32LE(checksum(head.subarray(0, 508)), 508);
  return Buffer.concat([head, bin]);
}

/** Writes a cell in use, and returns where the next one is. */
function cell(bin: Buffer, at: number, content: Uint8Array): number {
  const size = Math.ceil((content.length + 4) / 8) * 8;
  bin.writeInt32LE(-size, at);
  bin.set(content, at + 4);
  return at + size;
}

function keyNode(name: string, securityAt: number): Uint8Array {
  const node = Buffer.alloc(76 + name.length);
  node.write("nk", 0);
  // The root of a hive, which cannot be deleted, with a name in ASCII.
  node.writeUInt16LE(0x04 | 0x08 | 0x20, 2);
  for (const list of [28, 32, 40, 48]) node.writeUInt32LE(none, list);
  node.writeUInt32LE(securityAt, 44);
  node.writeUInt16LE(name.length, 72);
  node.write(name, 76);
  return node;
}

function securityNode(descriptor: Uint8Array, at: number): Uint8Array {
  const node = Buffer.alloc(20);
  node.write("sk", 0);
  // The only one of its list.
  for (const neighbour of [4, 8]) node.writeUInt32LE(at, neighbour);
  node.writeUInt32LE(1, 12);
  node.writeUInt32LE(descriptor.length, 16);
  return Buffer.concat([node, descriptor]);
}

/** Owned by the administrators; full control for them and the system, also of keys below. */
function securityDescriptor(): Uint8Array {
  const [system, administrators] = [sid(18), sid(32, 544)];
  const entries = [administrators, system].map(allowAll);
  const aclSize = 8 + entries.reduce((sum, entry) => sum + entry.length, 0);
  const head = Buffer.alloc(20);
  head.writeUInt8(1, 0);
  // Self-relative, with a list of who may do what.
  head.writeUInt16LE(0x8004, 2);
  head.writeUInt32LE(20 + aclSize, 4);
  head.writeUInt32LE(20 + aclSize + administrators.length, 8);
  head.writeUInt32LE(20, 16);
  const acl = Buffer.alloc(8);
  acl.writeUInt8(2, 0);
  acl.writeUInt16LE(aclSize, 2);
  acl.writeUInt16LE(entries.length, 4);
  return Buffer.concat([head, acl, ...entries, administrators, system]);
}

function allowAll(who: Uint8Array): Uint8Array {
  const head = Buffer.alloc(8);
  head.writeUInt8(0x02, 1);
  head.writeUInt16LE(8 + who.length, 2);
  head.writeUInt32LE(0xf003f, 4);
  return Buffer.concat([head, who]);
}

/** An identifier of Windows' own authority: S-1-5-… */
function sid(...parts: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(8 + 4 * parts.length);
  bytes.writeUInt8(1, 0);
  bytes.writeUInt8(parts.length, 1);
  bytes.writeUInt8(5, 7);
  parts.forEach((part, index) => {
    bytes.writeUInt32LE(part, 8 + 4 * index);
  });
  return bytes;
}

/** The exclusive or of all words; 0 and its opposite stand for other things. */
function checksum(bytes: Buffer): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 4) sum ^= bytes.readUInt32LE(at);
  const result = sum >>> 0;
  return result === 0 ? 1 : result === none ? none - 1 : result;
}
