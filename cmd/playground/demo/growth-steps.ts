import { bytesOf } from "@csi-sidecars/base";
import { mergePatch, PersistentVolume, PersistentVolumeClaim, type V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import { attributesClasses } from "../cluster/install-driver.ts";
import type { OurDriver } from "../driver/driver.ts";
import type { Playground } from "../playground.ts";
import { waitUntil } from "../wait-until.ts";
import { boundVolume, inDefault, present, type Step } from "./step.ts";

const claimName = "data";
const tooMuch = "2Ti";

const request = ({ admin }: Playground, storage: string) =>
  admin.patch(PersistentVolumeClaim, inDefault(claimName), mergePatch({ spec: { resources: { requests: { storage } } } }));

/** The claim and its volume, once both have the size. */
async function grownVolume(playground: Playground, size: string): Promise<string | undefined> {
  const claim = await present(playground, PersistentVolumeClaim, inDefault(claimName));
  const name = await boundVolume(playground, claimName);
  const volume = name === undefined ? undefined : await present(playground, PersistentVolume, { name });
  if (claim?.status?.allocatedResourceStatuses !== undefined) return undefined;
  return claim?.status?.capacity?.storage === size && volume?.spec?.capacity?.storage === size ? name : undefined;
}

/** The volume of a running pod grows. */
export function claimGrows(playground: Playground): Step {
  const size = "2Gi";
  const { hostpath } = playground.driver;
  return {
    title: `Request ${size} for the claim "${claimName}" while the pod uses it`,
    act: () => request(playground, size),
    expected: `${size} in the claim and its volume`,
    async check() {
      const name = await grownVolume(playground, size);
      if (name === undefined) return undefined;
      if (!hostpath) return `the claim and the PersistentVolume have ${size}`;
      if ((await volumeOf(hostpath, name))?.size !== String(bytesOf(size))) return undefined;
      const onNode = (await hostpath.control.calls("NodeExpandVolume")).length > 0;
      return onNode ? `the driver, the PersistentVolume and the claim have ${size}; NodeExpandVolume was called` : undefined;
    },
  };
}

/** The driver cannot give as much as the claim requests, and a smaller request helps. */
export function requestTakenBack(playground: Playground): Step {
  const size = "3Gi";
  const isInfeasible = ({ status }: V1PersistentVolumeClaim) =>
    status?.allocatedResourceStatuses?.storage === "ControllerResizeInfeasible" || undefined;
  return {
    title: `Request ${tooMuch}, more than the driver can give, then ${size}`,
    async act(signal) {
      await request(playground, tooMuch);
      const find = async () => isInfeasible(await playground.admin.get(PersistentVolumeClaim, inDefault(claimName)));
      await waitUntil("the claim marked as infeasible", find, { signal });
      await request(playground, size);
    },
    expected: `${size} in the claim and its volume`,
    check: async () => ((await grownVolume(playground, size)) ? `${tooMuch} was marked as infeasible; the claim has ${size}` : undefined),
  };
}

/** The volume of a running pod gets other attributes. */
export function classChanges(playground: Playground, hostpath: OurDriver): Step {
  const volumeAttributesClassName = "gold";
  const { iops } = attributesClasses[volumeAttributesClassName];
  return {
    title: `Give the claim "${claimName}" the VolumeAttributesClass "${volumeAttributesClassName}"`,
    act: () => playground.admin.patch(PersistentVolumeClaim, inDefault(claimName), mergePatch({ spec: { volumeAttributesClassName } })),
    expected: "the class in the claim and its volume, and its parameters in the driver",
    async check() {
      const claim = await present(playground, PersistentVolumeClaim, inDefault(claimName));
      const name = (await boundVolume(playground, claimName)) ?? "";
      const volume = await present(playground, PersistentVolume, { name });
      const names = [claim?.status?.currentVolumeAttributesClassName, volume?.spec?.volumeAttributesClassName];
      if (!names.every((found) => found === volumeAttributesClassName) || claim?.status?.modifyVolumeStatus) return undefined;
      const isThere = (await volumeOf(hostpath, name))?.mutableParameters.iops === iops;
      return isThere ? `the driver has iops=${iops}; the PersistentVolume and the claim name the class` : undefined;
    },
  };
}

const volumeOf = async ({ control }: OurDriver, name: string) => (await control.volumes()).find((volume) => volume.name === name);
