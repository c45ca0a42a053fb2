import { refKey, type V1Event, type V1PersistentVolumeClaim, wellKnownAnnotation } from "@csi-sidecars/kube";
import { actorSteps } from "./actor-step.ts";
import { eventEvidence, isFromSidecar, lastSeen, newest } from "./events.ts";
import { type Evidence, type Step, step } from "./explanation.ts";
import type { ClaimFacts } from "./facts.ts";
import { translate } from "./grpc-words.ts";
import { plain } from "./plain-text.ts";

/** Who has to make the volume, whether somebody acts, and what the driver said. */
export function provisioningSteps(claim: V1PersistentVolumeClaim, facts: ClaimFacts): readonly Step[] {
  const object = `PersistentVolumeClaim ${refKey(facts.ref)}`;
  const annotations = claim.metadata?.annotations ?? {};
  const provisioner = annotations[wellKnownAnnotation.provisioner] ?? annotations[wellKnownAnnotation.betaProvisioner];
  if (provisioner === undefined) {
    return [
      step(
        "waiting",
        "the cluster has not yet asked any provisioner to make the volume",
        [{ object, field: `metadata.annotations[${wellKnownAnnotation.provisioner}]`, value: "not set", ...since(claim) }],
        "if that lasts longer than a minute, look whether kube-controller-manager runs",
      ),
    ];
  }
  const asked: Evidence = { object, field: `metadata.annotations[${wellKnownAnnotation.provisioner}]`, value: provisioner };
  const last = newest(facts.events.filter(isFromSidecar), "Provisioning", "ProvisioningFailed", "ProvisioningSucceeded");
  const actors = actorSteps(facts.actor, {
    ...{ sidecar: "provisioner", now: facts.now, capability: "CREATE_DELETE_VOLUME" },
    ...(last && { lastWord: lastSeen(last) }),
  });
  return [
    step("done", `the cluster asks the provisioner of ${provisioner} for a volume`, [asked]),
    ...actors,
    outcome(provisioner, last, claim, actors),
  ];
}

function outcome(provisioner: string, last: V1Event | undefined, claim: V1PersistentVolumeClaim, actors: readonly Step[]): Step {
  if (last?.reason === "ProvisioningFailed") return failure(provisioner, last);
  if (last?.reason === "Provisioning") {
    return step(
      "waiting",
      `${provisioner} is making the volume, or will try again soon`,
      [eventEvidence(last)],
      "if it lasts, read the driver's log",
    );
  }
  if (last) return step("done", "the volume is made", [eventEvidence(last)]);
  const absent = actors.some(({ state }) => state !== "done");
  return absent
    ? step("not yet", "the volume is made")
    : step(
        "waiting",
        `${provisioner} has not said anything about the claim`,
        [
          {
            object: `PersistentVolumeClaim ${claim.metadata?.namespace}/${claim.metadata?.name}`,
            field: "events",
            value: "none",
            ...since(claim),
          },
        ],
        "look whether the driver's containers run (--csi-address asks the driver), and read the log of its provisioner; events older than an hour are gone",
      );
}

function failure(provisioner: string, event: V1Event): Step {
  const text = event.message ?? "";
  const { code, meaning, remedy } = translate("create", text);
  const what =
    code === undefined
      ? `${provisioner} cannot make the volume: ${meaning}`
      : `${provisioner} could not make the volume: ${meaning} (${code})`;
  const late = text.includes("Retries will be delayed") ? "; the next try comes within 5 minutes" : "";
  return step("failed", plain(what), [eventEvidence(event)], `${remedy}${late}`);
}

function since({ metadata }: V1PersistentVolumeClaim): { readonly since?: string } {
  return metadata?.creationTimestamp ? { since: metadata.creationTimestamp } : {};
}
