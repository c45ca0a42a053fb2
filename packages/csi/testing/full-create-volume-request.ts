import { CreateVolumeRequest, VolumeCapability_AccessMode_Mode } from "../gen/csi.ts";

/** A message with every field set, some of them to what only the widest integers can hold. */
export const fullCreateVolumeRequest = CreateVolumeRequest.create({
  name: "pvc-1",
  capacityRange: { requiredBytes: 2n ** 53n + 1n, limitBytes: 2n ** 63n - 1n },
  volumeCapabilities: [
    {
      accessType: { $case: "mount", mount: { fsType: "ext4", mountFlags: ["noatime", "ro"], volumeMountGroup: "2000" } },
      accessMode: { mode: VolumeCapability_AccessMode_Mode.SINGLE_NODE_MULTI_WRITER },
    },
    { accessType: { $case: "block", block: {} } },
  ],
  parameters: { type: "fast" },
  secrets: { password: "hunter2" },
  volumeContentSource: { type: { $case: "snapshot", snapshot: { snapshotId: "snap-1" } } },
  accessibilityRequirements: {
    requisite: [{ segments: { zone: "a" } }, { segments: { zone: "b" } }],
    preferred: [{ segments: { zone: "b" } }],
  },
  mutableParameters: { iops: "3000" },
});
