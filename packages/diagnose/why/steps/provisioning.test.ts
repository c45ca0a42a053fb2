import { describe, expect, test } from "bun:test";
import { found, missing, unreadable } from "../../access/read-cluster.ts";
import type { ObservedClaim } from "../gather/observed.ts";
import { type Expected, failedWith, grpc, table } from "../testing/claim-cases.ts";
import { ago, claim, driver, event, installed, lease, observedClaim } from "../testing/objects.ts";
import { infeasible } from "../testing/sidecars.ts";
import { explainClaim } from "./claim.ts";

type Told = readonly [reason: string, text: string, minutesAgo: number];

/** The events of a driver that did not answer the first call, and those that followed. */
const history = (...more: readonly Told[]) =>
  ([["Provisioning", "asked", 9], ["ProvisioningFailed", grpc("DeadlineExceeded"), 5], ...more] as readonly Told[]).map((told) =>
    event("PersistentVolumeClaim", ...told),
  );

/** Phases of the retry: the answer is the same in all of them. */
const retries: readonly (readonly [string, readonly Told[]])[] = [
  ["and waits for the next attempt", []],
  ["and does not answer either", [["Provisioning", "again", 1]]],
  ["and is still busy with the first call", [["ProvisioningFailed", grpc("Aborted"), 2]]],
  [
    "and again after that",
    [
      ["ProvisioningFailed", grpc("Aborted"), 2],
      ["Provisioning", "again", 1],
    ],
  ],
];

describe("no provisioner", () => {
  const silent = lease("csi-example-com", 30);
  table([
    [
      "not asked yet",
      observedClaim(claim({}, {}, { annotations: {} })),
      ["waiting", "no provisioner has been asked for the volume yet", "kube-controller-manager"],
    ],
    [
      "not installed",
      observedClaim(claim(), { driver: installed({ csiDriver: missing, leases: found([]) }) }),
      [
        "failed",
        `driver ${driver} seems not to be installed: there is neither a CSIDriver object nor a lease of its provisioner`,
        "install the driver",
      ],
    ],
    [
      "no lease",
      observedClaim(claim(), { driver: installed({ leases: found([]) }) }),
      ["waiting", `no lease of the provisioner of driver ${driver} was found: it does not run, or it runs without --leader-election`],
    ],
    [
      "the lease expired",
      observedClaim(claim(), { driver: installed({ leases: found([silent]) }) }),
      [
        "failed",
        `the provisioner of driver ${driver} does not run: host-1 was the last leader and has not renewed its lease for 30m`,
        "namespace storage",
      ],
    ],
    [
      "the lease was released",
      observedClaim(claim(), { driver: installed({ leases: found([lease("csi-example-com", 30, "")]) }) }),
      ["waiting", `the provisioner of driver ${driver} does not run now: its lease has no holder`],
    ],
    [
      "the common lease is held without a provisioner",
      observedClaim(claim(), {
        driver: installed({
          leases: found([lease("csi-sidecars-csi-example-com", 0, "h", { "csi-sidecars.storage.k8s.io/controllers": "attacher" })]),
        }),
      }),
      ["waiting", `no lease of the provisioner of driver ${driver} was found: it does not run, or it runs without --leader-election`],
    ],
    [
      "the lease expired, but the provisioner emits events",
      observedClaim(claim(), {
        driver: installed({ leases: found([silent]) }),
        events: [event("PersistentVolumeClaim", "Provisioning", "trying", 2)],
      }),
      ["waiting", `the driver is creating the volume`],
    ],
    [
      "the lease expired after the provisioner's last event",
      observedClaim(claim(), {
        driver: installed({ leases: found([silent]) }),
        events: [event("PersistentVolumeClaim", "Provisioning", "trying", 40)],
      }),
      ["failed", `the provisioner of driver ${driver} does not run: host-1 was the last leader and has not renewed its lease for 30m`],
    ],
    [
      "no lease, but the provisioner emits events",
      observedClaim(claim(), {
        driver: installed({ leases: found([]) }),
        events: [event("PersistentVolumeClaim", "Provisioning", "trying", 2)],
      }),
      ["waiting", `the driver is creating the volume`],
    ],
    [
      "leases may not be read",
      observedClaim(claim(), { driver: installed({ leases: unreadable }) }),
      ["waiting", `${driver} has not reported anything about the claim`],
    ],
    [
      "the driver does not answer",
      observedClaim(claim(), { driver: installed({ answer: { reached: false, because: "no CSI driver answers at /csi" } }) }),
      ["failed", "no CSI driver answers at /csi", "container"],
    ],
    [
      "the driver is not ready",
      observedClaim(claim(), {
        driver: installed({ answer: { reached: true, name: driver, ready: false, capabilities: [], nodeCapabilities: [] } }),
      }),
      ["failed", `driver ${driver} is not ready`],
    ],
    [
      "the driver cannot",
      observedClaim(claim(), {
        driver: installed({ answer: { reached: true, name: driver, ready: true, capabilities: ["EXPAND_VOLUME"], nodeCapabilities: [] } }),
      }),
      ["failed", `driver ${driver} does not support this: it lacks the capability CREATE_DELETE_VOLUME`],
    ],
  ]);
});

describe("errors of the driver are explained", () => {
  const could = (meaning: string) => `the volume could not be created: ${meaning}`;
  table([
    [
      "no capacity",
      failedWith("ResourceExhausted"),
      ["failed", could("the storage has no capacity left, or a quota is exceeded (ResourceExhausted)"), "capacity"],
    ],
    [
      "bad request",
      failedWith("InvalidArgument"),
      ["failed", could("the driver rejects the request; a retry will not help (InvalidArgument)"), "class parameters"],
    ],
    [
      "too slow",
      failedWith("DeadlineExceeded"),
      [
        "failed",
        could("the driver did not answer in time; it may still be working, and the call is retried (DeadlineExceeded)"),
        "--timeout",
      ],
    ],
    [
      "away",
      failedWith("Unavailable"),
      ["failed", could("the driver or its storage is not reachable now; the call is retried (Unavailable)"), "reaches its storage"],
    ],
    [
      "not allowed",
      failedWith("PermissionDenied"),
      ["failed", could("the storage does not allow the driver to do this (PermissionDenied)"), "credentials"],
    ],
    ["an unknown code", failedWith("Code(99)"), ["failed", `the volume could not be created: ${grpc("Code(99)")}`]],
    [
      "not from the driver at all",
      observedClaim(claim(), { events: [event("PersistentVolumeClaim", "ProvisioningFailed", "claim Selector is not supported")] }),
      ["failed", `the volume could not be created: claim Selector is not supported`],
    ],
    [
      "the cluster's own complaint is not the driver's",
      observedClaim(claim(), { events: [event("PersistentVolumeClaim", "ProvisioningFailed", "x", 1, "persistentvolume-controller")] }),
      ["waiting", `${driver} has not reported anything about the claim`],
    ],
    ...retries.map(([name, more]): readonly [string, ObservedClaim, Expected] => [
      `a hung driver is called again, ${name}`,
      observedClaim(claim(), { events: history(...more) }),
      [
        "failed",
        "the volume could not be created: the driver did not answer in time; it may still be working, and the call is retried (DeadlineExceeded)",
      ],
    ]),
    [
      "it is created, and not bound yet",
      observedClaim(claim(), { events: [event("PersistentVolumeClaim", "ProvisioningSucceeded", "done", 0)] }),
      ["waiting", "the claim is not bound yet"],
    ],
  ]);

  test("the event is the evidence, on one line and without control characters", () => {
    const observed = observedClaim(claim(), {
      events: [event("PersistentVolumeClaim", "ProvisioningFailed", grpc("Internal", "a\n\x1b[31mb"))],
    });
    const { steps } = explainClaim(observed);
    expect(steps.find(({ state }) => state === "failed")?.evidence).toEqual([
      {
        object: "PersistentVolumeClaim default/data",
        field: "event ProvisioningFailed (3 times)",
        value: "failed: rpc error: code = Internal desc = a [31mb",
        since: ago(6),
      },
    ]);
  });

  test("an infeasible request says when the next try comes", () => {
    const text = infeasible(grpc("InvalidArgument"));
    const { steps } = explainClaim(observedClaim(claim(), { events: [event("PersistentVolumeClaim", "ProvisioningFailed", text)] }));
    expect(steps.find(({ state }) => state === "failed")?.remedy).toContain("retries are delayed");
  });

  test("an attempt that runs after a failed one is told, with its beginning", () => {
    const { steps } = explainClaim(observedClaim(claim(), { events: history(["Provisioning", "again", 1]) }));
    expect(steps.filter(({ state }) => state === "waiting")).toEqual([
      expect.objectContaining({
        what: "another attempt has begun, and has not ended yet",
        evidence: [expect.objectContaining({ field: "event Provisioning (3 times)", since: ago(1) })],
      }),
    ]);
    expect(explainClaim(observedClaim(claim(), { events: history() })).steps.some(({ state }) => state === "waiting")).toBe(false);
  });

  test("who may not read the events is not told that there are none", () => {
    const unreadEvents = "needs list on events in namespace default";
    const answer = explainClaim(observedClaim(claim(), { unreadEvents, notes: [`could not read events: ${unreadEvents}`] }));
    expect(answer.summary).toBe(`provisioner ${driver} may have reported how far it is, but its events could not be read`);
    const unread = answer.steps.find(({ what }) => what === answer.summary);
    expect(unread?.evidence).toEqual([
      { object: "PersistentVolumeClaim default/data", field: "events", value: `could not be read: ${unreadEvents}` },
    ]);
    expect(unread?.remedy).toContain("csi-sidecars rbac --for=why");
  });
});
