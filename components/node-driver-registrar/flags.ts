import { aboveZero, duration, type FlagQuestions, type FlagTable, type FlagValues, int, text } from "@csi-sidecars/host";

export const registrarFlags = {
  "kubelet-registration-path": text("", "Path of the driver's socket on the host, as kubelet sees it. Required."),
  "plugin-registration-path": text("/registration", "Directory of the registration socket: kubelet's plugins_registry."),
  timeout: duration("1s", "Time limit of GetPluginInfo at the start, and of the GetInfo call of a health check.", {
    follows: "timeout",
    check: aboveZero,
  }),
  "http-endpoint": text("", "Address (host:port) of a listener for /healthz."),
  "health-port": int(0, "TCP port of a listener for /healthz on all addresses; none if 0.", { deprecated: "use --http-endpoint" }),
  mode: text("", "kubelet-registration-probe exits at once with success; any other value registers.", {
    deprecated: "let the probe use the HTTP endpoint",
  }),
  "connection-timeout": duration("0", "Nothing.", { deprecated: "it has no effect" }),
} satisfies FlagTable;

export type RegistrarFlags = FlagValues<typeof registrarFlags>;

/** Old manifests run the program once more in this mode as an exec probe. */
export function isProbe({ mode }: Pick<RegistrarFlags, "mode">): boolean {
  return mode === "kubelet-registration-probe";
}

/** Invalid flags, in upstream's order: the probe needs the path and nothing else. */
export function flagProblems(
  flags: RegistrarFlags,
  { flagName, isOnlyComponent }: Pick<FlagQuestions, "flagName" | "isOnlyComponent">,
): readonly string[] {
  if (flags.kubeletRegistrationPath === "") {
    return [`--${flagName("kubelet-registration-path")} is a required parameter: the path of the driver's socket as kubelet sees it`];
  }
  if (isProbe(flags))
    return isOnlyComponent ? [] : [`--${flagName("mode")}=${flags.mode} is a program of its own: run it without other controllers`];
  if (flags.healthPort > 0 && flags.httpEndpoint !== "") {
    return [`Only one of \`--${flagName("health-port")}\` and \`--${flagName("http-endpoint")}\` can be set`];
  }
  return [];
}

/** Where `/healthz` is served beside the process's own HTTP server. */
export function healthEndpoint({ httpEndpoint, healthPort }: RegistrarFlags) {
  if (httpEndpoint !== "") return { address: httpEndpoint, flag: "http-endpoint" };
  return healthPort > 0 ? { address: `:${healthPort}`, flag: "health-port" } : undefined;
}
