import { duration, type EndpointQuestions, type FlagQuestions, type FlagTable, type FlagValues, text } from "@csi-sidecars/host";

/** As text: upstream cannot tell a given 9808 from the default, and neither can its users' manifests. */
const defaultPort = "9808";

export const livenessprobeFlags = {
  "probe-timeout": duration("3s", "Time limit of a health check: connecting and the Probe call together."),
  "health-port": text(defaultPort, "TCP port for /healthz on all IPv4 addresses.", { deprecated: "use --http-endpoint" }),
  "http-endpoint": text("", "Address (host:port) for /healthz and metrics, instead of --health-port."),
  "metrics-address": text("", "Address of an HTTP server for metrics alone.", { deprecated: "use --http-endpoint" }),
} satisfies FlagTable;

export type LivenessprobeFlags = FlagValues<typeof livenessprobeFlags>;

/** Flags that contradict each other, in upstream's words and order. */
export function flagProblems(
  { healthPort, httpEndpoint, metricsAddress }: LivenessprobeFlags,
  { flagName, process }: Pick<FlagQuestions, "flagName" | "process">,
): readonly string[] {
  const endpoint = `--${flagName("http-endpoint")}`;
  const problems: string[] = [];
  if (httpEndpoint !== "" && healthPort !== defaultPort) {
    problems.push(`Only one of \`--${flagName("health-port")}\` and \`${endpoint}\` can be explicitly set`);
  }
  if (httpEndpoint !== "" && metricsAddress !== "") {
    problems.push(`Only one of \`--${flagName("metrics-address")}\` and \`${endpoint}\` can be explicitly set`);
  }
  if (process.metricsPath === "/healthz" && (httpEndpoint !== "" || process.httpEndpoint !== "")) {
    problems.push("--metrics-path=/healthz takes the path of the health check: choose another one");
  }
  return problems;
}

/** The driver's manifest may still ask the default port, which the process's own HTTP server makes needless. */
export function flagWarnings(
  { httpEndpoint }: LivenessprobeFlags,
  { process, flagName, explicit }: Pick<FlagQuestions, "process" | "flagName" | "explicit">,
): readonly string[] {
  const shared = process.httpEndpoint;
  if (shared === "" || httpEndpoint !== "" || explicit("health-port") || shared.endsWith(`:${defaultPort}`)) return [];
  return [
    `livenessprobe does not listen on its default port ${defaultPort}, because --http-endpoint=${shared} serves /healthz: let the driver's liveness probe ask there, or set --${flagName("health-port")}=${defaultPort}`,
  ];
}

/**
 * Where the health check is served beside the process's own HTTP server. That server makes the default port needless, but not one
 * that was asked for.
 */
export function healthEndpoint({ httpEndpoint, healthPort }: LivenessprobeFlags, beside: EndpointQuestions) {
  if (httpEndpoint !== "") return { address: httpEndpoint, flag: "http-endpoint" };
  if (beside.httpEndpoint !== "" && !beside.explicit("health-port")) return undefined;
  return { address: `0.0.0.0:${healthPort}`, flag: "health-port", metrics: false };
}
