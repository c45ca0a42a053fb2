import { describe, expect, test } from "bun:test";
import { explain } from "./explain.ts";
import { missing, seen, unseen } from "./look.ts";
import { failedWith, grpc, table } from "./testing/claim-cases.ts";
import { actor, ago, claim, claimFacts, driver, event, lease } from "./testing/objects.ts";

describe("nobody provisions", () => {
  const silent = lease("csi-example-com", 30);
  table([
    [
      "not asked yet",
      claimFacts(claim({}, {}, { annotations: {} })),
      ["waiting", "the cluster has not yet asked any provisioner to make the volume", "kube-controller-manager"],
    ],
    [
      "not installed",
      claimFacts(claim(), { actor: actor({ csiDriver: missing, leases: seen([]) }) }),
      [
        "failed",
        `driver ${driver} seems not to be installed: there is neither a CSIDriver object nor a lease of its provisioner`,
        "install the driver",
      ],
    ],
    [
      "no lease",
      claimFacts(claim(), { actor: actor({ leases: seen([]) }) }),
      ["waiting", `no lease of the provisioner of driver ${driver} was found: it does not run, or it runs without --leader-election`],
    ],
    [
      "the lease ran out",
      claimFacts(claim(), { actor: actor({ leases: seen([silent]) }) }),
      [
        "failed",
        `the provisioner of driver ${driver} does not run: host-1 led last and has not renewed its lease for 30m`,
        "namespace storage",
      ],
    ],
    [
      "the lease was given back",
      claimFacts(claim(), { actor: actor({ leases: seen([lease("csi-example-com", 30, "")]) }) }),
      ["waiting", `the provisioner of driver ${driver} does not run now: its lease has no holder`],
    ],
    [
      "the common lease is held without a provisioner",
      claimFacts(claim(), {
        actor: actor({
          leases: seen([lease("csi-sidecars-csi-example-com", 0, "h", { "csi-sidecars.storage.k8s.io/controllers": "attacher" })]),
        }),
      }),
      ["waiting", `no lease of the provisioner of driver ${driver} was found: it does not run, or it runs without --leader-election`],
    ],
    [
      "the lease ran out, but the provisioner speaks",
      claimFacts(claim(), {
        actor: actor({ leases: seen([silent]) }),
        events: [event("PersistentVolumeClaim", "Provisioning", "trying", 2)],
      }),
      ["waiting", `${driver} is making the volume, or will try again soon`],
    ],
    [
      "the lease ran out after the provisioner spoke",
      claimFacts(claim(), {
        actor: actor({ leases: seen([silent]) }),
        events: [event("PersistentVolumeClaim", "Provisioning", "trying", 40)],
      }),
      ["failed", `the provisioner of driver ${driver} does not run: host-1 led last and has not renewed its lease for 30m`],
    ],
    [
      "no lease, but the provisioner speaks",
      claimFacts(claim(), { actor: actor({ leases: seen([]) }), events: [event("PersistentVolumeClaim", "Provisioning", "trying", 2)] }),
      ["waiting", `${driver} is making the volume, or will try again soon`],
    ],
    [
      "leases may not be read",
      claimFacts(claim(), { actor: actor({ leases: unseen }) }),
      ["waiting", `${driver} has not said anything about the claim`],
    ],
    [
      "the driver does not answer",
      claimFacts(claim(), { actor: actor({ answer: { reached: false, because: "no CSI driver answers at /csi" } }) }),
      ["failed", "the driver does not answer: no CSI driver answers at /csi", "container"],
    ],
    [
      "the driver is not ready",
      claimFacts(claim(), { actor: actor({ answer: { reached: true, name: driver, ready: false, capabilities: [] } }) }),
      ["failed", `driver ${driver} says that it is not ready`],
    ],
    [
      "the driver cannot",
      claimFacts(claim(), { actor: actor({ answer: { reached: true, name: driver, ready: true, capabilities: ["EXPAND_VOLUME"] } }) }),
      ["failed", `driver ${driver} cannot do this: it lacks the capability CREATE_DELETE_VOLUME`],
    ],
  ]);
});

describe("the driver's words are translated", () => {
  const could = (meaning: string) => `${driver} could not make the volume: ${meaning}`;
  table([
    [
      "no room",
      failedWith("ResourceExhausted"),
      ["failed", could("the storage has no room left, or a quota is used up (ResourceExhausted)"), "capacity"],
    ],
    [
      "bad request",
      failedWith("InvalidArgument"),
      ["failed", could("the driver refuses the request as it is; repeating it will not help (InvalidArgument)"), "parameters of the class"],
    ],
    [
      "too slow",
      failedWith("DeadlineExceeded"),
      [
        "failed",
        could("the driver did not answer in time; it may still be at work, and the call is repeated (DeadlineExceeded)"),
        "--timeout",
      ],
    ],
    [
      "away",
      failedWith("Unavailable"),
      [
        "failed",
        could("the driver, or the storage behind it, is not reachable now; it is tried again (Unavailable)"),
        "reaches its storage",
      ],
    ],
    [
      "not allowed",
      failedWith("PermissionDenied"),
      ["failed", could("the storage does not let the driver do this (PermissionDenied)"), "credentials"],
    ],
    ["an unknown code", failedWith("Code(99)"), ["failed", `${driver} cannot make the volume: ${grpc("Code(99)")}`]],
    [
      "not from the driver at all",
      claimFacts(claim(), { events: [event("PersistentVolumeClaim", "ProvisioningFailed", "claim Selector is not supported")] }),
      ["failed", `${driver} cannot make the volume: claim Selector is not supported`],
    ],
    [
      "the cluster's own complaint is not the driver's",
      claimFacts(claim(), { events: [event("PersistentVolumeClaim", "ProvisioningFailed", "x", 1, "persistentvolume-controller")] }),
      ["waiting", `${driver} has not said anything about the claim`],
    ],
    [
      "a new try after the failure",
      claimFacts(claim(), {
        events: [
          event("PersistentVolumeClaim", "ProvisioningFailed", grpc("Internal"), 5),
          event("PersistentVolumeClaim", "Provisioning", "again", 1),
        ],
      }),
      ["waiting", `${driver} is making the volume, or will try again soon`],
    ],
    [
      "it was made, and is not bound yet",
      claimFacts(claim(), { events: [event("PersistentVolumeClaim", "ProvisioningSucceeded", "done", 0)] }),
      ["waiting", "the cluster has yet to bind the claim"],
    ],
  ]);

  test("the event is the evidence, on one line and without control characters", () => {
    const facts = claimFacts(claim(), { events: [event("PersistentVolumeClaim", "ProvisioningFailed", grpc("Internal", "a\n\x1b[31mb"))] });
    const { steps } = explain(facts);
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
    const text = `Volume provisioning failed with infeasible error. Retries will be delayed. ${grpc("InvalidArgument")}`;
    const { steps } = explain(claimFacts(claim(), { events: [event("PersistentVolumeClaim", "ProvisioningFailed", text)] }));
    expect(steps.find(({ state }) => state === "failed")?.remedy).toContain("the next try comes within 5 minutes");
  });
});
