import { ownValue } from "@csi-sidecars/base";
import type { RequestInput, ResponseOf, ServiceDefinition } from "@csi-sidecars/csi";
import type { CallOptions } from "../call-options.ts";
import { CsiProxyError } from "../csi-proxy-error.ts";
import type { ApiGroupName } from "./api-groups.ts";
import { compareApiVersions, parseApiVersion } from "./api-version.ts";
import { implementService } from "./implement-service.ts";
import type { CsiProxyHandlers } from "./library.ts";
import type { services } from "./services.ts";

type Services = typeof services;

/** The methods of a service by the names that its .proto file has, with messages whose fields are named as declared there. */
export type InProcessClient<S> = S extends ServiceDefinition
  ? {
      readonly [K in keyof S["methods"] as S["methods"][K]["name"]]: (
        request?: RequestInput<S["methods"][K]>,
        options?: CallOptions,
      ) => Promise<ResponseOf<S["methods"][K]>>;
    }
  : never;

/** Methods that came with a later version than the group. An older version has them too, in order to say so. */
const minimumVersions: Readonly<Partial<Record<ApiGroupName, Readonly<Record<string, string>>>>> = {
  disk: { ListDiskIDs: "v1beta1", DiskStats: "v1beta1", SetAttachState: "v1beta2", GetAttachState: "v1beta2" },
  volume: { VolumeStats: "v1beta1", GetVolumeDiskNumber: "v1beta1", GetVolumeIDFromMount: "v1beta1" },
  iscsi: { SetMutualChapSecret: "v1alpha2" },
};

/**
 * A client of the v1 API without a server: the messages of one version, answered by the library in this process. Code written against
 * csi-proxy's client moves into a HostProcess container by changing how it gets its client. There is no sandbox: the caller is trusted.
 *
 * ```ts
 * const disk = inProcessClient("disk", "v1", createCsiProxy());
 * const { total_bytes } = await disk.GetDiskStats({ disk_number: 2 });
 * ```
 */
export function inProcessClient<G extends ApiGroupName, V extends keyof Services[G] & string>(
  group: G,
  version: V,
  proxy: Pick<CsiProxyHandlers, G>,
): InProcessClient<Services[G][V]> {
  const { definition, methods } = implementService(group, version, proxy);
  const client = Object.entries(definition.methods).map(([key, { name, requestType }]) => {
    const method = ownValue(methods, key);
    return [name, async (request: object = {}, options?: CallOptions) => method?.(requestType.fromPartial?.(request), options)] as const;
  });
  return Object.fromEntries([...tooNew(group, version), ...client]) as InProcessClient<Services[G][V]>;
}

/** What a version lacks: methods that reject with the version they need. */
function tooNew(group: ApiGroupName, version: string): readonly (readonly [name: string, method: () => Promise<never>])[] {
  const current = parseApiVersion(version);
  return Object.entries(minimumVersions[group] ?? {})
    .filter(([, minimum]) => compareApiVersions(current, parseApiVersion(minimum)) < 0)
    .map(([name, minimum]) => {
      const text = `${name} requires CSI-Proxy API version ${minimum} or greater`;
      return [name, () => Promise.reject(new CsiProxyError("FailedPrecondition", text))] as const;
    });
}
