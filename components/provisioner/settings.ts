import type { ProvisionerComponentContext } from "./flags.ts";
import type { VolumeNaming } from "./provision/volume-name.ts";

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
  /** `--persist-in-progress` */
  readonly inProgressFinalizer: boolean;
  /** `--recall-deleted-claims` */
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
    inProgressFinalizer: flags.persistInProgress,
    cleanupOrphanedVolumes: flags.recallDeletedClaims,
    crossNamespace: gates.enabled("CrossNamespaceVolumeDataSource"),
    attributesClasses: gates.enabled("VolumeAttributesClass"),
  };
}
