import { afterAll } from "bun:test";
import { stopSharedClusters } from "@csi-sidecars/testcluster";

afterAll(stopSharedClusters, 30_000);
