import { bytesOf, silentLogger, systemClock } from "@csi-sidecars/base";
import { fields, InformerFactory, PersistentVolumeClaim } from "@csi-sidecars/kube";
import type { World } from "../../e2e/testing/world.ts";
import { bytes, expansionOf, sizes } from "./storage.ts";

const claimFields = fields(PersistentVolumeClaim, { spec: { volumeName: true }, status: { phase: true, capacity: ["storage"] } });

/** Watches claims, and notes each bound one that has no capacity, or more than its volume or the file system on it. */
export class CapacityHistory implements AsyncDisposable {
  readonly wrong: string[] = [];
  /** How many states of claims were seen. */
  seen = 0;
  readonly #stop = new AbortController();

  constructor({ cluster: { admin: client }, driver }: World) {
    const informers = new InformerFactory({ client, clock: systemClock, log: silentLogger });
    const claims = informers.forFields(claimFields);
    const look = (claim: NonNullable<ReturnType<typeof claims.get>>) => {
      this.seen++;
      const { volumeName = "" } = claim.spec ?? {};
      const volume = driver.volumes.get(volumeName);
      if (claim.status?.phase !== "Bound" || !volume) return;
      const capacity = bytesOf(claim.status.capacity?.storage);
      const { capacityBytes, nodeBytes = bytes(sizes.initial) } = volume;
      const truth = expansionOf(driver, volumeName) === "without node" ? capacityBytes : nodeBytes;
      if (capacity <= 0n || capacity > truth) this.wrong.push(`${claim.metadata.name} has ${capacity}, ${volumeName} ${truth}`);
    };
    claims.addHandler({ onAdd: look, onUpdate: (_old, claim) => look(claim) });
    informers.start(this.#stop.signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
  }
}
