import { afterAll } from "bun:test";
import { stopSharedClusters } from "@csi-sidecars/testcluster";

// A worker of `bun test --parallel` is told of the end of each file, but not which is the last: its clusters end with it (`--no-orphans`).
if (process.env.BUN_TEST_WORKER_ID === undefined) afterAll(stopSharedClusters, 30_000);
// That is for the test runner, and not for the programs that tests start.
delete process.env.BUN_FEATURE_FLAG_NO_ORPHANS;
