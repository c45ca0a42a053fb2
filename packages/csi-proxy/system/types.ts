/** What a service does at present. The numbers are those of the v1 API. */
export const ServiceStatus = {
  UNKNOWN: 0,
  STOPPED: 1,
  START_PENDING: 2,
  STOP_PENDING: 3,
  RUNNING: 4,
  CONTINUE_PENDING: 5,
  PAUSE_PENDING: 6,
  PAUSED: 7,
} as const;
export type ServiceStatus = (typeof ServiceStatus)[keyof typeof ServiceStatus];

/** When Windows starts a service. */
export const StartType = { BOOT: 0, SYSTEM: 1, AUTOMATIC: 2, MANUAL: 3, DISABLED: 4 } as const;
export type StartType = (typeof StartType)[keyof typeof StartType];

export type GetBiosSerialNumberRequest = Readonly<Record<never, never>>;

export interface GetBiosSerialNumberResponse {
  readonly serialNumber: string;
}

export interface GetServiceRequest {
  readonly name: string;
}

export interface GetServiceResponse {
  readonly displayName: string;
  readonly startType: StartType;
  readonly status: ServiceStatus;
}

export interface StartServiceRequest {
  readonly name: string;
}

export type StartServiceResponse = Readonly<Record<never, never>>;

export interface StopServiceRequest {
  readonly name: string;
  /** Also stops the services that need this one. */
  readonly force?: boolean;
}

export type StopServiceResponse = Readonly<Record<never, never>>;
