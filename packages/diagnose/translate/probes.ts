import { alike, type Fields, fieldsAt, wordsAt } from "./container.ts";
import { type Endpoints, isLoopback, newPort } from "./endpoints.ts";
import type { LegacySidecar } from "./legacy-sidecar.ts";
import { portNumber } from "./ports.ts";

type ProbeName = "livenessProbe" | "readinessProbe" | "startupProbe";

/** A probe of the new container, with what is to be said about it. */
export interface NewProbe {
  readonly probe?: Fields;
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
}

/** A container has one probe of a kind: the sidecars' become one, which asks where they are served now. */
export function mergeProbes(sidecars: readonly LegacySidecar[], name: ProbeName, endpoints: Endpoints): NewProbe {
  const notes: string[] = [];
  const probes = sidecars.flatMap((sidecar) => {
    const probe = fieldsAt(sidecar.container, name);
    if (!probe) return [];
    const translated = translateProbe(probe, sidecar, endpoints, notes);
    return [{ sidecar, probe: translated, asks: asked(translated, sidecar) }];
  });
  const [first, ...others] = probes;
  if (!first) return { notes, warnings: [] };
  const different = others.filter(({ asks }) => !alike(asks, first.asks));
  const warnings = different.map(
    ({ sidecar }) =>
      `the ${name} of ${sidecar.name} is left out: a container has one, and it is the one of ${first.sidecar.name}; /livez answers for the whole process`,
  );
  return { probe: slowest(probes.filter((each) => !different.includes(each)).map(({ probe }) => probe)), notes, warnings };
}

const timings = ["initialDelaySeconds", "periodSeconds", "timeoutSeconds", "failureThreshold"] as const;

/** What a probe asks, without how often; a port by its number. */
function asked(probe: Fields, { container }: LegacySidecar): Fields {
  const http = fieldsAt(probe, "httpGet");
  const rest = Object.entries(probe).filter(([key]) => !timings.some((timing) => timing === key));
  return { ...Object.fromEntries(rest), ...(http && { httpGet: { ...http, port: portNumber(container, http.port) ?? http.port } }) };
}

/** The most patient of probes that ask the same. */
function slowest(probes: readonly Fields[]): Fields {
  const longest = timings.flatMap((timing) => {
    const given = probes.map((probe) => Number(probe[timing])).filter((value) => Number.isFinite(value));
    return given.length > 0 ? [[timing, Math.max(...given)]] : [];
  });
  return { ...probes[0], ...Object.fromEntries(longest) };
}

function translateProbe(probe: Fields, sidecar: LegacySidecar, endpoints: Endpoints, notes: string[]): Fields {
  const http = fieldsAt(probe, "httpGet");
  if (http) {
    const old = portNumber(sidecar.container, http.port);
    if (old === undefined) return probe;
    const port = newPort(endpoints, sidecar, old);
    return port === old ? probe : { ...probe, httpGet: { ...http, port } };
  }
  const exec = fieldsAt(probe, "exec");
  if (!exec || !wordsAt(exec, "command").some((word) => /^--?mode=kubelet-registration-probe$/.test(word))) return probe;
  return registrationProbe(probe, exec, sidecar, endpoints, notes);
}

/** The old exec probe of node-driver-registrar has asked nothing for years; its HTTP endpoint does. */
function registrationProbe(probe: Fields, exec: Fields, { component }: LegacySidecar, { own, shared }: Endpoints, notes: string[]): Fields {
  const { exec: _, ...rest } = probe;
  const port = own.get(component.name);
  if (port !== undefined) return { httpGet: { path: "/healthz", port }, ...rest };
  if (shared?.port !== undefined && !isLoopback(shared.address))
    return { httpGet: { path: `/healthz/${component.name}`, port: shared.port }, ...rest };
  notes.push(
    `the exec probe of ${component.standalone} is kept, but it always succeeds: give the container --http-endpoint and let the probe get /healthz/${component.name} there`,
  );
  return { exec: { ...exec, command: throughOurProgram(wordsAt(exec, "command"), component.standalone) }, ...rest };
}

/** The program of a sidecar is a word for ours; a link of its name is not in every image. */
function throughOurProgram([program = "", ...words]: readonly string[], standalone: string): readonly string[] {
  const end = program.toLowerCase().endsWith(".exe") ? ".exe" : "";
  return program.endsWith(`${standalone}${end}`)
    ? [`${program.slice(0, -`${standalone}${end}`.length)}csi-sidecars${end}`, standalone, ...words]
    : [program, ...words];
}

/** A container that is served somewhere and has no probe gets one for the process. */
export function suggestedProbe({ shared }: Endpoints): Fields | undefined {
  if (shared?.port === undefined || isLoopback(shared.address)) return undefined;
  return { httpGet: { path: "/livez", port: shared.port }, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3 };
}
