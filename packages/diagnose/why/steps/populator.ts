import { groupResourceOf, keyOf, refKey, type V1Event, VolumePopulator } from "@csi-sidecars/kube";
import { foundIn } from "../../access/read-cluster.ts";
import { listed, plain } from "../../text.ts";
import { lastConditions } from "../condition-events.ts";
import { eventEvidence } from "../events.ts";
import { type Evidence, type Step, step } from "../explanation.ts";
import type { ObservedClaim, ObservedDataSource } from "../gather/observed.ts";
import { announces, type NearPopulator, nameOf, nearPopulators, type SourceKind } from "./near-populators.ts";

type OtherSource = Extract<ObservedDataSource, { readonly kind: "other" }>;

const definition = groupResourceOf(VolumePopulator);
const kindOf = ({ group, sourceKind }: OtherSource): SourceKind => ({ group, kind: sourceKind });
const described = ({ named, group }: OtherSource) => `${named} of ${group === "" ? "the core group" : `group ${group}`}`;

/** Whether a populator is known that fills volumes from the kind of data source that the claim names. */
export function populatorStep(observed: ObservedClaim, source: OtherSource): Step {
  const populators = foundIn(source.populators);
  const wanted = kindOf(source);
  const [warning] = lastConditions("dataSource", observed.events, observed.reportOn);
  const isAnnounced = populators?.some((each) => announces(each, wanted)) ?? false;
  const isKnown = isAnnounced || isWorkedOn(observed, source);
  if (isKnown || (!populators && !warning)) return step("done", `the volume is to be filled from ${described(source)}`);
  const object = `PersistentVolumeClaim ${refKey(observed.ref)}`;
  const near = nearPopulators(populators ?? [], wanted);
  const [closest] = near;
  return step(
    "failed",
    `the data source of the claim is ${described(source)}, and no VolumePopulator announces that kind${closest ? `; ${closestOne(closest)}` : ""}`,
    [
      { object, field: "spec.dataSourceRef", value: nameOf(wanted) },
      warning ? eventEvidence(warning.event) : { object, field: "events", value: "no volume-data-source-validator has warned of it" },
      ...near.slice(0, 3).map(nearEvidence),
    ],
    [closest && meant(closest), remedyOf(observed)].filter((each) => each !== undefined).join("; else "),
  );
}

/** An event or a claim of a populator tells more than that nobody announces it. */
function isWorkedOn({ events }: ObservedClaim, { primes }: OtherSource): boolean {
  return populatorEvent(events) !== undefined || (foundIn(primes)?.length ?? 0) > 0;
}

function closestOne(near: NearPopulator): string {
  return `the closest is ${nameOf(near)}, which differs in its ${near.difference}`;
}

function nearEvidence(near: NearPopulator): Evidence {
  return {
    object: `VolumePopulator ${near.populator}`,
    field: "sourceKind",
    value: `${nameOf(near)}, which differs in its ${near.difference}`,
  };
}

function remedyOf({ reportOn }: ObservedClaim): string | undefined {
  return reportOn("dataSource")?.events.find(({ state }) => state === "abnormal")?.remedy;
}

function meant({ group, kind }: NearPopulator): string {
  return `if ${nameOf({ group, kind })} is meant, recreate the claim with that kind and apiGroup in spec.dataSourceRef`;
}

/** What the populator has done so far. It creates and binds the volume itself: no sidecar of the driver does. */
export function populationStep(observed: ObservedClaim, source: OtherSource): Step {
  const event = populatorEvent(observed.events);
  if (event?.type === "Warning") {
    return step(
      "failed",
      `the volume populator failed: ${plain(event.message ?? "")}`,
      [eventEvidence(event)],
      "check the populator's log",
    );
  }
  const [prime] = foundIn(source.primes) ?? [];
  if (prime) {
    const isBound = prime.status?.phase === "Bound";
    const name = keyOf(prime);
    return step(
      "waiting",
      isBound ? "the volume populator is filling the volume" : `the volume populator waits for claim ${name}, whose volume it is to fill`,
      [{ object: `PersistentVolumeClaim ${name}`, field: "status.phase", value: prime.status?.phase ?? "Pending" }],
      isBound ? "if it stays so, check the populator's log and its pods" : `see csi-sidecars why pvc ${name}`,
    );
  }
  const reference = { object: `PersistentVolumeClaim ${refKey(observed.ref)}`, field: "spec.dataSourceRef", value: nameOf(kindOf(source)) };
  return unfilledStep(source, [reference, ...(event ? [eventEvidence(event)] : [])]);
}

function unfilledStep(source: OtherSource, evidence: readonly Evidence[]): Step {
  const { populators: lookup } = source;
  if (lookup.state === "missing") {
    return step(
      "waiting",
      `a volume populator has to fill the volume from ${described(source)}, and nothing tells whether there is one: ${definition} is not served`,
      evidence,
      `check that a populator for ${nameOf(kindOf(source))} runs; with the CustomResourceDefinition ${definition} installed, populators announce what they serve`,
    );
  }
  const announcing = (foundIn(lookup) ?? []).filter((each) => announces(each, kindOf(source)));
  const names = listed(announcing.map((each) => keyOf(each)));
  return step(
    "waiting",
    `${names ? `the populator of VolumePopulator ${names}` : "a volume populator"} has to fill the volume from ${described(source)}`,
    [
      ...evidence,
      ...announcing.map(
        (each): Evidence => ({ object: `VolumePopulator ${keyOf(each)}`, field: "sourceKind", value: nameOf(kindOf(source)) }),
      ),
    ],
    `this is up to the populator's controller, not to the driver's sidecars: check that it runs, its log, and that ${source.named} exists`,
  );
}

/** The newest event of a populator that is built with Kubernetes' library: their reasons begin alike. */
function populatorEvent(events: readonly V1Event[]): V1Event | undefined {
  return events.findLast(({ reason = "" }) => reason.startsWith("Populat"));
}
