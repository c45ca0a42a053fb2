export interface TargetPortal {
  /** A host name or an address. */
  readonly targetAddress: string;
  /** 0 means 3260. */
  readonly targetPort: number;
}

export interface TargetPortalRequest {
  /** Needed; requests of the v1 server may lack it. */
  readonly targetPortal?: TargetPortal | undefined;
}

export interface TargetRequest extends TargetPortalRequest {
  readonly iqn: string;
}

/** How the target and the node prove to each other who they are. */
export const iscsiAuthType = { none: 0, oneWayChap: 1, mutualChap: 2 } as const;

export interface ConnectTargetRequest extends TargetRequest {
  /** One of `iscsiAuthType`. */
  readonly authType: number;
  readonly chapUsername: string;
  readonly chapSecret: string;
}

export interface SetMutualChapSecretRequest {
  /** For all targets of the node: 12 to 16 bytes without IPsec. */
  readonly mutualChapSecret: string;
}

export type ListTargetPortalsRequest = Readonly<Record<string, never>>;

export interface ListTargetPortalsResponse {
  readonly targetPortals: readonly TargetPortal[];
}

export interface DiscoverTargetPortalResponse {
  readonly iqns: readonly string[];
}

export interface GetTargetDisksResponse {
  /** Numbers of disks, in decimal. */
  readonly diskIds: readonly string[];
}

/** The response of methods that only succeed or fail. */
export type IscsiEmptyResponse = Readonly<Record<string, never>>;
