import { driverRemedy } from "../access/driver-remedy.ts";
import { type Findings, leaderElection } from "./findings.ts";
import type { CapabilityKind } from "./inspect-driver.ts";
import { kindRows } from "./kind-rows.ts";
import { groupResource, type RequiredAccess } from "./required-access.ts";
import type { Row, Severity } from "./row.ts";
import { serviceAccounts } from "./service-account.ts";

/** What the findings mean for the enabled components. */
export function compatibility(findings: Findings): readonly Row[] {
  return [
    ...serverRows(findings),
    ...apiRows(findings),
    ...kindRows(findings),
    ...identityRows(findings),
    ...permissionRows(findings),
    ...driverRows(findings),
    ...componentRows(findings),
  ];
}

/** Whether nothing needed is missing. */
export function isComplete(rows: readonly Row[]): boolean {
  return rows.every(({ severity }) => severity !== "error");
}

function serverRows({ server }: Findings): readonly Row[] {
  if (!server) return [];
  if (server.known) return [{ severity: "ok", area: "API server", message: `Kubernetes ${server.value}` }];
  const remedy =
    server.because === "Unauthorized"
      ? "check the credentials in --kubeconfig, or the token of the service account"
      : "check --kubeconfig, --master and the network";
  // What a connection failed with says itself what to check.
  const isTold = server.because.includes("; check ");
  return [{ severity: "error", area: "API server", message: server.because, ...(!isTold && { remedy }) }];
}

/** The kinds that rules are about and that are not served, but for those that the component declares. */
function apiRows({ access, served, kinds }: Findings): readonly Row[] {
  if (served && !served.known)
    return [{ severity: "warning", area: "API", message: `the served APIs could not be listed: ${served.because}` }];
  const rows = grouped(
    access.map(({ need }) => need).filter((need) => isMissing(need, served) && !isDeclared(need, kinds)),
    groupResource,
  ).map(([need, kind]): Row => {
    const { severity, suffix } = weight(need);
    return {
      ...{ severity, area: "API", who: need.who },
      message: `${kind} is not served${suffix}`,
      remedy: "install its CustomResourceDefinition, or use a Kubernetes version that serves it",
    };
  });
  return rows;
}

function isMissing(need: RequiredAccess, served: Findings["served"]): boolean {
  return served?.known === true && need.group !== "" && !served.value.has(groupResource(need));
}

function isDeclared({ who, group, resource }: RequiredAccess, declared: Findings["kinds"]): boolean {
  return declared.some((one) => one.who === who && one.need.kinds.some((kind) => kind.group === group && kind.plural === resource));
}

/** Whose permissions are judged: those of an administrator say nothing about the pod's. */
function identityRows({ user, access, program }: Findings): readonly Row[] {
  if (!user || access.length === 0) return [];
  if (!user.known) {
    const message = `the API server does not say whose permissions are checked: ${user.because}`;
    return [{ severity: "warning", area: "permission", message }];
  }
  const message = `the permissions of ${user.value} are checked`;
  if (user.value.startsWith(serviceAccounts)) return [{ severity: "ok", area: "permission", message }];
  return [
    {
      ...{
        severity: "warning",
        area: "permission",
        message: `${message}, which is no service account: the pods of ${program.name} have other ones`,
      },
      remedy: `check with --as=${serviceAccounts}<namespace>:<service account of the pod>`,
    },
  ];
}

function permissionRows({ access, served, program }: Findings): readonly Row[] {
  const asked = access.filter(({ need }) => !isMissing(need, served));
  const denied = asked.filter(({ allowed }) => allowed.known && !allowed.value).map(({ need }) => need);
  const rows = grouped(denied, place).map(([need, where, all]): Row => {
    const { severity, suffix } = weight(need);
    return {
      ...{ severity, area: "permission", who: need.who },
      message: `may not ${all.map(({ verb }) => verb).join(", ")} ${where}${suffix}`,
      remedy: `bind the roles that \`${program.name} rbac\` prints`,
    };
  });
  const open = asked.find(({ allowed }) => !allowed.known)?.allowed;
  if (open && !open.known)
    rows.push({ severity: "warning", area: "permission", message: `some permissions could not be checked: ${open.because}` });
  if (rows.length === 0 && asked.length > 0)
    rows.push({ severity: "ok", area: "permission", message: "all required permissions are granted" });
  return rows;
}

function place(need: RequiredAccess): string {
  const { subresource, namespace } = need;
  const what = subresource === undefined ? groupResource(need) : `${groupResource(need)}/${subresource}`;
  return namespace === undefined ? what : `${what} in namespace ${namespace}`;
}

/** Needs of the same component and importance under the same title, with the first of them. */
function grouped(
  needs: readonly RequiredAccess[],
  title: (need: RequiredAccess) => string,
): readonly (readonly [RequiredAccess, string, readonly RequiredAccess[]])[] {
  const groups = Map.groupBy(needs, (need) => JSON.stringify([need.who, title(need), need.optional]));
  return [...groups.values()].flatMap((all) => (all[0] ? [[all[0], title(all[0]), all] as const] : []));
}

function weight({ optional }: RequiredAccess): { readonly severity: Severity; readonly suffix: string } {
  return optional === undefined ? { severity: "error", suffix: "" } : { severity: "warning", suffix: ` (${optional})` };
}

/** Services may have capabilities of the same name. */
const serviceNames: readonly (readonly [CapabilityKind, string])[] = [
  ["plugin", "plugin"],
  ["controller", "controller"],
  ["groupController", "group controller"],
  ["node", "node"],
];

function driverRows({ driver }: Findings): readonly Row[] {
  if (!driver) return [];
  if (!driver.known) {
    return [{ severity: "error", area: "driver", message: driver.because, remedy: driverRemedy(driver.because) }];
  }
  const { name, version, ready, capabilities } = driver.value;
  const able = serviceNames.flatMap(([kind, service]) => {
    const names = capabilities[kind] ?? [];
    return names.length > 0 ? [`${service}: ${names.join(", ")}`] : [];
  });
  const messages = [version ? `${name} ${version}` : name, ...(able.length > 0 ? able : ["no capabilities"])];
  const rows = messages.map((message): Row => ({ severity: "ok", area: "driver", message }));
  if (ready === false) rows.push({ severity: "warning", area: "driver", message: "the driver's probe reports that it is not ready" });
  return rows;
}

/** A component that cannot run is disabled, unless it is the last one. */
function componentRows({ components, access, server }: Findings): readonly Row[] {
  const lacking = new Set(access.flatMap(({ need, allowed }) => (allowed.known && !allowed.value && !need.optional ? [need.who] : [])));
  const isUnknown = server?.known === false;
  const noneRuns = components.every(({ runs }) => runs === false);
  return components.flatMap(({ name, runs, because, elected, usesServer }): Row[] => {
    const isKept = lacking.has(name) || (elected && lacking.has(leaderElection));
    if (runs === true && isKept)
      return [{ severity: "error", area: "controller", who: name, message: "would run, but lacks permissions: see above" }];
    if (runs === true && usesServer && isUnknown) {
      const message = "the driver has what it needs; whether it can run is not known without the API server";
      return [{ severity: "warning", area: "controller", who: name, message }];
    }
    if (runs === true) return [{ severity: "ok", area: "controller", who: name, message: "can run" }];
    if (runs === false)
      return [{ severity: noneRuns ? "error" : "warning", area: "controller", who: name, message: `disabled: ${because}` }];
    return because === undefined
      ? []
      : [{ severity: "warning", area: "controller", who: name, message: `could not be checked: ${because}` }];
  });
}
