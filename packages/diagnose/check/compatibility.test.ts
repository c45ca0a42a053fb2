import { describe, expect, test } from "bun:test";
import { recordingLogger } from "@csi-sidecars/base/testing";
import { compatibility, isComplete } from "./compatibility.ts";
import type { Findings } from "./findings.ts";
import { logReport, renderJson, renderTable } from "./render.ts";
import type { RequiredAccess } from "./required-access.ts";
import { requiredAccess } from "./required-access.ts";

const nothing: Findings = { program: { name: "csi-sidecars", version: "v1" }, components: [], kinds: [], access: [] };
const need: RequiredAccess = { who: "mover", verb: "get", group: "storage.k8s.io", resource: "volumeattachments" };
const yes = { known: true, value: true } as const;
const no = { known: true, value: false } as const;
const unsaid = { known: false, because: "no answer within 5 ms" } as const;
const serving = (...kinds: string[]) => ({ known: true, value: new Map(kinds.map((kind) => [kind, ["v1"]])) }) as const;
const attachments = serving("volumeattachments.storage.k8s.io");

/** Severity, area, component and message in one line. */
const lines = (findings: Partial<Findings>) =>
  compatibility({ ...nothing, ...findings }).map(({ severity, area, who, message }) =>
    [severity, area, who, message].filter(Boolean).join(" | "),
  );

test("an API server that does not know us sends us to our credentials, not to the network", () => {
  const remedy = (because: string) => compatibility({ ...nothing, server: { known: false, because } })[0]?.remedy;
  expect(remedy("Unauthorized")).toContain("credentials");
  expect(remedy("connection refused")).toContain("the network");
  expect(remedy("https://10.0.0.1: connection refused; check that the API server runs and listens there")).toBeUndefined();
});

describe("what findings mean", () => {
  test.each<[string, Partial<Findings>, string[]]>([
    ["nothing was asked", {}, []],
    ["the API server answers", { server: { known: true, value: "v1.36.3" } }, ["ok | API server | Kubernetes v1.36.3"]],
    ["the API server is silent", { server: unsaid }, ["error | API server | no answer within 5 ms"]],
    [
      "all is allowed",
      { served: attachments, access: [{ need, allowed: yes }] },
      ["ok | permission | all required permissions are granted"],
    ],
    [
      "verbs are not allowed: one line for a kind",
      {
        served: attachments,
        access: [
          { need, allowed: no },
          { need: { ...need, verb: "list" }, allowed: yes },
          { need: { ...need, verb: "patch" }, allowed: no },
        ],
      },
      ["error | permission | mover | may not get, patch volumeattachments.storage.k8s.io"],
    ],
    [
      "a subresource and a namespace are named",
      {
        served: attachments,
        access: [
          { need: { ...need, verb: "patch", subresource: "status" }, allowed: no },
          { need: { who: "leader election", verb: "create", group: "", resource: "events", namespace: "csi" }, allowed: no },
        ],
      },
      [
        "error | permission | mover | may not patch volumeattachments.storage.k8s.io/status",
        "error | permission | leader election | may not create events in namespace csi",
      ],
    ],
    [
      "only a feature is lost",
      { access: [{ need: { ...need, group: "", resource: "secrets", optional: "reads secrets" }, allowed: no }] },
      ["warning | permission | mover | may not get secrets (reads secrets)"],
    ],
    [
      "the same need of two components: both are named",
      {
        served: attachments,
        access: [
          { need, allowed: no },
          { need: { ...need, who: "maker" }, allowed: no },
        ],
      },
      [
        "error | permission | mover | may not get volumeattachments.storage.k8s.io",
        "error | permission | maker | may not get volumeattachments.storage.k8s.io",
      ],
    ],
    [
      "a kind that is not served: what may be done with it is of no interest",
      { served: serving(), access: [{ need, allowed: no }] },
      ["error | API | mover | volumeattachments.storage.k8s.io is not served"],
    ],
    [
      "a kind for a feature that is not served",
      { served: serving(), access: [{ need: { ...need, optional: "moves faster" }, allowed: yes }] },
      ["warning | API | mover | volumeattachments.storage.k8s.io is not served (moves faster)"],
    ],
    [
      "some questions were not answered",
      { served: unsaid, access: [{ need, allowed: unsaid }] },
      [
        "warning | API | the served APIs could not be listed: no answer within 5 ms",
        "warning | permission | some permissions could not be checked: no answer within 5 ms",
      ],
    ],
    [
      "the API server is silent: what the driver has is known, and not what is allowed",
      {
        server: unsaid,
        components: [
          { name: "mover", runs: true, usesServer: true },
          { name: "prober", runs: true, usesServer: false },
        ],
      },
      [
        "error | API server | no answer within 5 ms",
        "warning | controller | mover | the driver has what it needs; whether it can run is not known without the API server",
        "ok | controller | prober | can run",
      ],
    ],
    ["the driver is silent", { driver: unsaid }, ["error | driver | no answer within 5 ms"]],
    [
      "the driver is not ready",
      {
        driver: { known: true, value: { name: "d", version: "v2", ready: false, capabilities: { controller: ["GET_VOLUME"], node: [] } } },
      },
      ["ok | driver | d v2", "ok | driver | controller: GET_VOLUME", "warning | driver | the driver's probe reports that it is not ready"],
    ],
    [
      "capabilities of the same name belong to different services",
      {
        driver: {
          known: true,
          value: {
            name: "d",
            capabilities: {
              plugin: ["CONTROLLER_SERVICE"],
              controller: ["EXPAND_VOLUME", "VOLUME_CONDITION"],
              groupController: [],
              node: ["EXPAND_VOLUME"],
            },
          },
        },
      },
      [
        "ok | driver | d",
        "ok | driver | plugin: CONTROLLER_SERVICE",
        "ok | driver | controller: EXPAND_VOLUME, VOLUME_CONDITION",
        "ok | driver | node: EXPAND_VOLUME",
      ],
    ],
    [
      "a driver that can do nothing",
      { driver: { known: true, value: { name: "d", capabilities: { controller: [] } } } },
      ["ok | driver | d", "ok | driver | no capabilities"],
    ],
    [
      "one component of two cannot run",
      {
        components: [
          { name: "mover", runs: true },
          { name: "maker", runs: false, because: "no volumes" },
        ],
      },
      ["ok | controller | mover | can run", "warning | controller | maker | disabled: no volumes"],
    ],
    [
      "the only component cannot run",
      { components: [{ name: "maker", runs: false, because: "no volumes" }] },
      ["error | controller | maker | disabled: no volumes"],
    ],
    [
      "a component of which nothing is known",
      {
        components: [
          { name: "maker", runs: undefined, because: "timeout" },
          { name: "mover", runs: undefined },
        ],
      },
      ["warning | controller | maker | could not be checked: timeout"],
    ],
  ])("%s", (_, findings, expected) => {
    expect(lines(findings)).toEqual(expected);
    expect(isComplete(compatibility({ ...nothing, ...findings }))).toBe(!expected.some((line) => line.startsWith("error")));
  });
});

test("rules are taken apart into single questions", () => {
  expect(
    requiredAccess(
      "mover",
      [{ apiGroups: ["", "apps"], resources: ["pods", "pods/status"], verbs: ["get", "patch"], because: "why" }],
      "csi",
    ).map(({ verb, group, resource, subresource, namespace, optional }) =>
      [verb, group, resource, subresource, namespace, optional].join(" "),
    ),
  ).toEqual([
    "get  pods  csi why",
    "patch  pods  csi why",
    "get  pods status csi why",
    "patch  pods status csi why",
    "get apps pods  csi why",
    "patch apps pods  csi why",
    "get apps pods status csi why",
    "patch apps pods status csi why",
  ]);
});

describe("renderers", () => {
  const findings: Findings = {
    ...nothing,
    server: { known: true, value: "v1.36.3" },
    access: [{ need: { ...need, group: "", resource: "pods" }, allowed: no }],
    driver: { known: true, value: { name: "d", capabilities: { controller: ["GET_VOLUME"] } } },
    components: [{ name: "mover", runs: true }],
  };
  const rows = compatibility(findings);

  test("a table", () => {
    expect(renderTable(rows)).toBe(
      [
        "RESULT  AREA        CONTROLLER  FINDING",
        "ok      API server              Kubernetes v1.36.3",
        "error   permission  mover       may not get pods -> bind the roles that `csi-sidecars rbac` prints",
        "ok      driver                  d",
        "ok      driver                  controller: GET_VOLUME",
        "error   controller  mover       would run, but lacks permissions: see above",
        "",
      ].join("\n"),
    );
  });

  test("JSON", () => {
    expect(JSON.parse(renderJson(findings, rows))).toEqual({
      program: "csi-sidecars",
      version: "v1",
      complete: false,
      kubernetes: "v1.36.3",
      driver: { name: "d", capabilities: { controller: ["GET_VOLUME"] } },
      controllers: [{ name: "mover", runs: true }],
      findings: rows.map((row) => ({ ...row })),
    });
  });

  test("lines of a log", () => {
    const log = recordingLogger();
    logReport(rows, log);
    expect(log.lines.map(({ severity, level, message }) => [severity, level, message].join(" "))).toEqual([
      "info 2 Compatibility: Kubernetes v1.36.3",
      "error 0 Compatibility: may not get pods",
      "info 2 Compatibility: d",
      "info 2 Compatibility: controller: GET_VOLUME",
      "error 0 Compatibility: would run, but lacks permissions: see above",
    ]);
  });
});
