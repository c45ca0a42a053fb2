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
  readonly readOnlyWhereOnlyRead: boolean;
  /** `--prevent-volume-mode-conversion` */
  readonly keepMode: boolean;
  readonly strictTopology: boolean;
  readonly immediateTopology: boolean;
  /** `--retry-interval-max`: how long a request that the driver will never grant rests. */
  readonly infeasibleRestMs: number;
  /** `--persist-in-progress` */
  readonly persistInProgress: boolean;
  /** `--recall-deleted-claims` */
  readonly recallDeletedClaims: boolean;
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
    readOnlyWhereOnlyRead: flags.controllerPublishReadonly,
    keepMode: flags.preventVolumeModeConversion,
    strictTopology: flags.strictTopology,
    immediateTopology: flags.immediateTopology,
    infeasibleRestMs: flags.retryIntervalMax,
    persistInProgress: flags.persistInProgress,
    recallDeletedClaims: flags.recallDeletedClaims,
    crossNamespace: gates.enabled("CrossNamespaceVolumeDataSource"),
    attributesClasses: gates.enabled("VolumeAttributesClass"),
  };
}
