import { type Clock, messageOf } from "@csi-sidecars/base";
import { Channel, GrpcError, type PluginInfo, RegistrationDefinition, serviceClient } from "@csi-sidecars/csi";

/** Accepts a plugin, or refuses it with an error message. */
export type RegisterPlugin = (plugin: PluginInfo, attempt: number) => string | undefined | Promise<string | undefined>;

interface RegistrationOptions {
  readonly socket: string;
  readonly attempt: number;
  readonly register: RegisterPlugin;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** The outcome of a registration attempt. */
type RegistrationOutcome =
  | { readonly kind: "registered"; readonly plugin: PluginInfo }
  /** `told`: whether the plugin was notified. */
  | { readonly kind: "refused"; readonly plugin: PluginInfo; readonly error: string; readonly told: boolean }
  | { readonly kind: "unreachable"; readonly error: string };

const dialLimitMs = 10_000;
const infoLimitMs = 1_000;
const notifyLimitMs = 5_000;

/** Calls GetInfo, decides, and calls NotifyRegistrationStatus, over one connection. */
export async function registerPlugin({ socket, attempt, register, signal, clock }: RegistrationOptions): Promise<RegistrationOutcome> {
  const channel = new Channel({ target: { kind: "unix", path: socket }, clock });
  const registration = serviceClient(RegistrationDefinition, channel);
  const notify = (error: string) =>
    registration.notifyRegistrationStatus({ pluginRegistered: error === "", error }, { timeoutMs: notifyLimitMs, signal }).then(
      () => true,
      () => false,
    );
  try {
    await channel.acquire(true, AbortSignal.any([signal, AbortSignal.timeout(dialLimitMs)])).catch((error) => {
      throw new Error(`RegisterPlugin error -- dial failed at socket ${socket}, err: ${textOf(error)}`);
    });
    const plugin = await registration.getInfo({}, { timeoutMs: infoLimitMs, signal }).catch((error) => {
      throw new Error(`RegisterPlugin error -- failed to get plugin info using RPC GetInfo at socket ${socket}, err: ${textOf(error)}`);
    });
    const error = await refusal(plugin, socket, attempt, register);
    if (error === undefined) return (await notify("")) ? { kind: "registered", plugin } : notNotified(socket);
    return { kind: "refused", plugin, error, told: await notify(error) };
  } catch (error) {
    return { kind: "unreachable", error: textOf(error) };
  } finally {
    channel.close();
  }
}

async function refusal(plugin: PluginInfo, socket: string, attempt: number, register: RegisterPlugin): Promise<string | undefined> {
  if (plugin.type !== "CSIPlugin")
    return `RegisterPlugin error -- no handler registered for plugin type: ${plugin.type} at socket ${socket}`;
  if (!plugin.supportedVersions.includes("1.0.0")) {
    const versions = JSON.stringify(plugin.supportedVersions);
    return `RegisterPlugin error -- plugin validation failed with err: versions ${versions} of CSI driver ${plugin.name} are not supported`;
  }
  const error = await register(plugin, attempt);
  return error === undefined ? undefined : `RegisterPlugin error -- plugin registration failed with err: ${error}`;
}

function notNotified(socket: string): RegistrationOutcome {
  return { kind: "unreachable", error: `RegisterPlugin error -- failed to send registration status at socket ${socket}` };
}

function textOf(error: unknown): string {
  return error instanceof GrpcError ? String(error) : messageOf(error);
}
