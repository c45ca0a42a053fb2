/** Capabilities of a volume that one node writes to, or several nodes. */
export const writer = capability(1);
export const manyWriters = capability(5);

function capability(mode: 1 | 5) {
  return { accessType: { $case: "mount" as const, mount: { fsType: "ext4" } }, accessMode: { mode } };
}

export const GiB = 1_073_741_824n;

export function create(name: string, requiredBytes = GiB) {
  return { name, volumeCapabilities: [writer], capacityRange: { requiredBytes } };
}
