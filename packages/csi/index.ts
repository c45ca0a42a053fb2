export { AccessMode, type AccessModeChoice, chooseAccessMode, csiAccessMode } from "./access-mode.ts";
export { type Availability, alwaysAvailable, ChangingAvailability, untilAvailable } from "./connection/availability.ts";
export { type DriverCapabilities, type PluginCapabilities, readCapabilities } from "./connection/capabilities.ts";
export {
  type ConnectOptions,
  connectDriver,
  type DriverConnection,
  type ExitOnLossOptions,
  exitOnLoss,
} from "./connection/connect.ts";
export { type DriverCallOptions, type DriverClient, driverClient, driverServices } from "./connection/driver-client.ts";
export { getDriverName, type ProbeUntilReadyOptions, probe, probeUntilReady } from "./connection/identity.ts";
export { parseAddress } from "./connection/parse-address.ts";
export { classifyFailure, type Failure, type Operation } from "./final-or-uncertain.ts";
export * from "./gen/csi.ts";
export { Timestamp } from "./gen/google/protobuf/timestamp.ts";
export {
  PluginInfo,
  RegistrationDefinition,
  RegistrationStatus,
} from "./gen/pluginregistration.ts";
export { Channel, type ChannelOptions, type ChannelState, type LossDecision } from "./grpc/channel.ts";
export type { CallOptions } from "./grpc/client-call.ts";
export { type ListenAddress, listenOn } from "./grpc/listen.ts";
export { GrpcServer, type ServerOptions } from "./grpc/server.ts";
export { type Interceptor, type Invocation, type ServiceClient, serviceClient } from "./grpc/service-client.ts";
export type {
  ClientConnection,
  Codec,
  HandlerContext,
  MethodDefinition,
  RequestInput,
  RequestOf,
  ResponseOf,
  ServiceDefinition,
  ServiceHandlers,
} from "./grpc/service-definition.ts";
export { isProtocolViolation, type LossReason } from "./grpc/session.ts";
export { Code, type CodeName, codeName, type ErrorOrigin, GrpcError } from "./grpc/status.ts";
export type { Target } from "./grpc/target.ts";
export { listPages } from "./list-pages.ts";
export { exposition, expositionType } from "./metrics/exposition.ts";
export {
  type OperationMetrics,
  type OperationMetricsOptions,
  type OperationRecord,
  operationMetrics,
  processStartTime,
} from "./metrics/operation-metrics.ts";
export { type MessageType, Sanitized, type Scalar, sanitize } from "./sanitizer/sanitize.ts";
export { type VolumeUsage, volumeCapability } from "./volume-capability.ts";
export { type PageReader, type VolumeListRequest, VolumeLists } from "./volume-lists.ts";
