import type { CsiProxyHandlers } from "../library.ts";

const huge = 2n ** 53n + 1n;
const location = (lunId: string) => ({ adapter: "1", bus: "2", target: "3", lunId });
const done = {};

/** What each handler answers; every field has a value that is not its default. */
const answers = {
  disk: {
    listDiskLocations: { diskLocations: new Map([2, 4294967295].map((number, lun) => [number, location(`${lun + 4}`)])) },
    partitionDisk: done,
    rescan: done,
    listDiskIds: {
      diskIds: new Map([
        [2, { page83: "Google  persistent-disk-0", serialNumber: " SN 2" }],
        [10, { page83: "4d53", serialNumber: "SN10" }],
      ]),
    },
    getDiskStats: { totalBytes: huge },
    setDiskState: done,
    getDiskState: { isOnline: true },
    getDiskNumberByName: { diskNumber: 4294967295 },
  },
  volume: {
    listVolumesOnDisk: { volumeIds: ["\\\\?\\Volume{a}\\", "\\\\?\\Volume{b}\\"] },
    mountVolume: done,
    unmountVolume: done,
    isVolumeFormatted: { formatted: true },
    formatVolume: done,
    resizeVolume: { resized: true },
    getVolumeStats: { totalBytes: huge, usedBytes: huge - 1n },
    getDiskNumberFromVolumeId: { diskNumber: 4294967295 },
    getVolumeIdFromTargetPath: { volumeId: "\\\\?\\Volume{c}\\" },
    getClosestVolumeIdFromTargetPath: { volumeId: "\\\\?\\Volume{d}\\" },
    writeVolumeCache: done,
  },
  filesystem: {
    pathExists: { exists: true },
    mkdir: done,
    rmdir: done,
    rmdirContents: done,
    createSymlink: done,
    isSymlink: { isSymlink: true },
  },
  smb: { newSmbGlobalMapping: done, removeSmbGlobalMapping: done },
  iscsi: {
    addTargetPortal: done,
    removeTargetPortal: done,
    discoverTargetPortal: { iqns: ["iqn.1", "iqn.2"] },
    listTargetPortals: {
      targetPortals: [
        { targetAddress: "10.0.0.1", targetPort: 3260 },
        { targetAddress: "10.0.0.2", targetPort: 65535 },
      ],
    },
    connectTarget: done,
    disconnectTarget: done,
    getTargetDisks: { diskIds: ["3", "4"] },
    setMutualChapSecret: done,
  },
  system: {
    getBiosSerialNumber: { serialNumber: "BIOS-1" },
    getService: { displayName: "Spooler of Prints", startType: 2, status: 4 },
    startService: done,
    stopService: done,
  },
} as const;

export type RecordedCall = readonly [method: string, request: unknown];

/** Handlers that answer as written above and record what reaches them. A method in `replies` does what is said there instead. */
export function recordedHandlers(replies: Readonly<Record<string, () => Promise<object>>> = {}) {
  const calls: RecordedCall[] = [];
  const record = (methods: Readonly<Record<string, object>>) =>
    Object.fromEntries(
      Object.entries(methods).map(([method, answer]) => [
        method,
        async (request: unknown) => {
          calls.push([method, request]);
          return replies[method]?.() ?? answer;
        },
      ]),
    );
  const handlers = Object.fromEntries(Object.entries(answers).map(([group, methods]) => [group, record(methods)]));
  return { calls, handlers: handlers as unknown as CsiProxyHandlers };
}
