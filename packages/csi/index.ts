export { AccessMode, type AccessModeChoice, chooseAccessMode } from "./access-mode.ts";
export * from "./gen/csi.ts";
export { Timestamp } from "./gen/google/protobuf/timestamp.ts";
export {
  InfoRequest,
  PluginInfo,
  RegistrationDefinition,
  RegistrationStatus,
  RegistrationStatusResponse,
} from "./gen/pluginregistration.ts";
export { redact, secretsIn } from "./sanitizer/redact.ts";
export { type MessageType, Sanitized, type Scalar, sanitize } from "./sanitizer/sanitize.ts";
