import type { Result } from "@csi-sidecars/base";
import { objectNameParameters, type Parameters, secretParameterKeys } from "@csi-sidecars/controller";
import { AccessMode, csiAccessMode, type VolumeCapability } from "@csi-sidecars/csi";
import type { Claim, Class } from "../fields.ts";
import { parameterPrefix } from "../names.ts";

const fsTypeKey = `${parameterPrefix}fstype`;
const known: ReadonlySet<string> = new Set([fsTypeKey, ...secretParameterKeys]);

/** What of a class's parameters is for the driver. An unknown parameter with the prefix is a typing error, so it is refused. */
export function driverParameters(parameters: Parameters): Result<Parameters> {
  const unknown = Object.keys(parameters).find((key) => key.startsWith(parameterPrefix) && !known.has(key));
  if (unknown !== undefined) {
    return {
      error: `failed to strip CSI Parameters of prefixed keys: found unknown parameter key "${unknown}" with reserved namespace ${parameterPrefix}`,
    };
  }
  return { value: Object.fromEntries(Object.entries(parameters).filter(([key]) => !known.has(key))) };
}

/** The file system that a class asks for, or the default; `""` leaves it to the driver. */
export function fsTypeOf(parameters: Parameters, defaultFsType: string): Result<string> {
  const found = Object.entries(parameters).filter(([key]) => key.toLowerCase() === "fstype" || key === fsTypeKey);
  if (found.length > 1) return { error: `fstype specified in parameters with both "fstype" and "${fsTypeKey}" keys` };
  return { value: found[0]?.[1] || defaultFsType };
}

/** The parameters of the CreateVolume call; `extra` with `--extra-create-metadata`. */
export function requestParameters(
  parameters: Parameters,
  extra: { readonly claim: Claim; readonly volume: string } | undefined,
): Result<Parameters> {
  const stripped = driverParameters(parameters);
  if (stripped.error !== undefined || !extra) return stripped;
  return { value: { ...stripped.value, ...objectNameParameters(extra.claim, extra.volume) } };
}

/** How a volume will be used. */
export interface VolumeUsage {
  readonly fsType: string;
  readonly capabilities: readonly VolumeCapability[];
}

/** What the claim's modes and the class's options ask of the volume: one capability for each access mode of the claim, in its order. */
export function volumeCapabilities(
  { spec }: Pick<Claim, "spec">,
  storageClass: Pick<Class, "parameters" | "mountOptions">,
  driver: { readonly defaultFsType: string; readonly singleNodeMultiWriter: boolean },
): Result<VolumeUsage> {
  const fsType = fsTypeOf(storageClass.parameters ?? {}, driver.defaultFsType);
  if (fsType.error !== undefined) return fsType;
  const { accessModes = [], volumeMode } = spec ?? {};
  const modes = accessModes.map((mode) => csiAccessMode(mode, driver));
  const unknown = accessModes.find((_, index) => modes[index] === undefined);
  if (unknown !== undefined) return { error: `unsupported AccessMode combination: [${unknown}]` };
  const mountFlags = storageClass.mountOptions ?? [];
  const accessType: VolumeCapability["accessType"] =
    volumeMode === "Block"
      ? { $case: "block", block: {} }
      : { $case: "mount", mount: { fsType: fsType.value, mountFlags, volumeMountGroup: "" } };
  const capabilities = modes.map((mode) => ({ accessMode: { mode: mode ?? AccessMode.UNKNOWN }, accessType }));
  return { value: { fsType: fsType.value, capabilities } };
}

/** Whether the volume may be marked read-only: no node can ever write to it. */
export function isReadOnly(capabilities: readonly VolumeCapability[]): boolean {
  return capabilities.length === 1 && capabilities[0]?.accessMode?.mode === AccessMode.MULTI_NODE_READER_ONLY;
}
