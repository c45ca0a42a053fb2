import { expect, test } from "bun:test";
import { type RollingUpdate, rollingReplicas } from "./rolling-replicas.ts";

const up = (count: number) => ({ replicas: count, available: count });

test.each<[string, RollingUpdate, number, readonly number[]]>([
  ["a first rollout makes all", { wanted: 3, current: up(0), old: [] }, 3, []],
  ["a quarter more at first, rounded up", { wanted: 4, current: up(0), old: [up(4)] }, 1, [4]],
  ["then a quarter less, rounded down", { wanted: 4, current: { replicas: 1, available: 0 }, old: [up(4)] }, 1, [3]],
  ["then more of the new ones", { wanted: 4, current: up(1), old: [up(3)] }, 2, [3]],
  ["one may be away where no surge is allowed", { wanted: 1, current: up(0), old: [up(1)], maxSurge: 0, maxUnavailable: 1 }, 0, [0]],
  ["one is away where neither is allowed", { wanted: 2, current: up(0), old: [up(2)], maxSurge: 0, maxUnavailable: 0 }, 0, [1]],
  ["none is away by default where there is one", { wanted: 1, current: { replicas: 1, available: 0 }, old: [up(1)] }, 1, [1]],
  ["broken ones go first", { wanted: 4, current: { replicas: 1, available: 0 }, old: [{ replicas: 1, available: 0 }, up(3)] }, 1, [0, 3]],
  ["done", { wanted: 3, current: up(3), old: [up(1)] }, 3, [0]],
  ["fewer", { wanted: 1, current: up(3), old: [] }, 1, []],
])("%s", (_, update, current, old) => {
  expect(rollingReplicas(update)).toEqual({ current, old: [...old] });
});
