import { type Backend, commitWith } from "../backend.ts";
import { inherited } from "../controller/snapshots.ts";
import { type Change, type SnapshotRecord, timestampOf, unusedVolume, type VolumeRecord } from "../state/records.ts";

const size = 1n << 30n;
const batchSize = 500;

/** Makes volumes, and snapshots spread over them, for tests of scale. */
export async function seed(backend: Backend, volumes: number, snapshots: number): Promise<void> {
  const ids: string[] = [];
  for (let from = 0; from < volumes; from += batchSize) {
    const records = Array.from({ length: Math.min(batchSize, volumes - from) }, (_, index) => volume(backend, `seeded-${from + index}`));
    const moves = await Promise.all(records.map((record) => backend.data.createVolume(record, { kind: "empty" })));
    const changes = records.map((record): Change => ({ put: "volume", record }));
    await commitWith(backend, moves, changes);
    ids.push(...records.map(({ id }) => id));
  }
  const creationTime = timestampOf(backend.clock.now());
  for (let index = 0; index < snapshots; index++) {
    const source = backend.state.volumes.get(ids[index % ids.length] ?? "");
    if (!source) return;
    const id = backend.newId();
    const path = backend.data.snapshotPath(id);
    const facts = { ...inherited(source), creationTime, readyToUse: true, groupId: "" };
    const record: SnapshotRecord = { id, path, name: `seeded-snapshot-${index}`, ...facts };
    const move = await backend.data.createSnapshot(record, source, { ignoreFailedRead: false });
    await commitWith(backend, [move], [{ put: "snapshot", record }]);
  }
}

function volume(backend: Backend, name: string): VolumeRecord {
  const id = backend.newId();
  return {
    ...unusedVolume,
    id,
    name,
    size,
    path: backend.data.volumePath(id),
    accessType: "mount",
  };
}
