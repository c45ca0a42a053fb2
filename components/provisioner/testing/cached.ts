import { FakeClock } from "@csi-sidecars/base/testing";
import { InfeasibleBackoff } from "@csi-sidecars/controller";
import type { DriverInfo } from "../driver-capabilities.ts";
import type { Claim, Class, Volume } from "../fields.ts";
import type { ProvisionRequest } from "../provision/provision-request.ts";
import { newKeptState, ProvisionerState } from "../provisioner-state.ts";
import { driverName } from "./manifests.ts";

type Parts<T> = { readonly [K in keyof T]?: T[K] extends object | undefined ? Partial<NonNullable<T[K]>> : T[K] };

const meta = (name: string, uid: string) => ({ name, uid, resourceVersion: "1" });

/** What the caches hold: a claim `default/data` for 1Gi in the class `fast`, left to our driver, changed as told. */
export function cachedClaim({ metadata, spec, ...rest }: Parts<Claim> = {}): Claim {
  return {
    metadata: {
      ...meta("data", "claim-uid"),
      namespace: "default",
      annotations: { "volume.kubernetes.io/storage-provisioner": driverName },
      ...metadata,
    },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "fast", ...spec },
    status: { phase: "Pending" },
    ...rest,
  } as Claim;
}

export function cachedClass(parts: Parts<Class> = {}): Class {
  return {
    provisioner: driverName,
    volumeBindingMode: "Immediate",
    ...parts,
    metadata: { ...meta("fast", "class-uid"), ...parts.metadata },
  } as Class;
}

/** A released volume of our driver that is to be deleted. */
export function cachedVolume({ metadata, spec, status }: Parts<Volume> = {}): Volume {
  return {
    metadata: { ...meta("pv-1", "volume-uid"), ...metadata },
    spec: {
      persistentVolumeReclaimPolicy: "Delete",
      claimRef: { name: "data", namespace: "default", uid: "claim-uid" },
      csi: { driver: driverName, volumeHandle: "handle-1" },
      storageClassName: "fast",
      ...spec,
    },
    status: { phase: "Released", ...status },
  } as Volume;
}

/** A driver that can do everything. */
export const able: DriverInfo = {
  name: driverName,
  inTreeName: undefined,
  controllerService: true,
  createsVolumes: true,
  restoresSnapshots: true,
  clonesVolumes: true,
  modifiesVolumes: true,
  publishesVolumes: true,
  singleNodeMultiWriter: false,
  topology: true,
};

export function provisionRequest(parts: Partial<ProvisionRequest> = {}): ProvisionRequest {
  return {
    volumeName: "pvc-claim-uid",
    claim: cachedClaim(),
    class: cachedClass(),
    selectedNode: undefined,
    createVolume: {
      name: "pvc-claim-uid",
      capacityRange: { requiredBytes: 1024n, limitBytes: 0n },
      volumeCapabilities: [],
      parameters: {},
      mutableParameters: {},
    },
    secrets: {},
    fsType: "ext4",
    mustEchoSource: false,
    source: undefined,
    migrated: false,
    ...parts,
  };
}

/** A state that knows nothing. */
export function emptyState(): ProvisionerState {
  return new ProvisionerState(newKeptState(), new InfeasibleBackoff(60_000, new FakeClock()));
}
