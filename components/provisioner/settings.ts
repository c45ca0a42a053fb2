import type { ProvisionerComponentContext } from "./flags.ts";
import type { VolumeNaming } from "./volume-name.ts";

/** What flags and gates decide, under the names of what they mean. */
export interface Settings {
  /** `--timeout` */
  readonly timeoutMs: number;
  readonly naming: VolumeNaming;
  readonly defaultFsType: string;
  readonly extraCreateMetadata: boolean;
  /** `--controller-publish-readonly` */
  readonly publishReadOnly: boolean;
  /** `--prevent-volume-mode-conversion` */
  readonly preventModeConversion: boolean;
  readonly strictTopology: boolean;
  readonly immediateTopology: boolean;
  /** `--in-progress-finalizer` */
  readonly inProgressFinalizer: boolean;
  /** `--cleanup-orphaned-volumes` */
  readonly cleanupOrphanedVolumes: boolean;
  /** The gate `CrossNamespaceVolumeDataSource` */
  readonly crossNamespace: boolean;
  /** The gate `VolumeAttributesClass` */
  readonly attributesClasses: boolean;
}

export function settingsOf({ flags, gates }: ProvisionerComponentContext): Settings {
  return {
    timeoutMs: flags.timeout,
    naming: { prefix: flags.volumeNamePrefix, uuidLength: flags.volumeNameUuidLength },
    defaultFsType: flags.defaultFstype,
    extraCreateMetadata: flags.extraCreateMetadata,
    publishReadOnly: flags.controllerPublishReadonly,
    preventModeConversion: flags.preventVolumeModeConversion,
    strictTopology: flags.strictTopology,
    immediateTopology: flags.immediateTopology,
    inProgressFinalizer: flags.inProgressFinalizer,
    cleanupOrphanedVolumes: flags.cleanupOrphanedVolumes,
    crossNamespace: gates.enabled("CrossNamespaceVolumeDataSource"),
    attributesClasses: gates.enabled("VolumeAttributesClass"),
  };
}
