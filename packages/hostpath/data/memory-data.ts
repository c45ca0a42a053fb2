import type { Data, Move } from "./data.ts";

const nothing: Move = { settle() {}, finish: async () => {}, undo: async () => {} };

/** Volumes without content, for tests in which only calls count. */
export const memoryData: Data = {
  isVolumeId: () => true,
  volumePath: (id) => `/memory/${id}`,
  snapshotPath: (id) => `/memory/${id}.snap`,
  createVolume: async () => nothing,
  createSnapshot: async () => nothing,
  remove: async () => nothing,
  resize: async () => {},
  exists: () => true,
  space: async () => undefined,
};
