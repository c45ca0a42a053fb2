import { expect, test } from "bun:test";
import { type Disturbed, disturbOnce } from "./disturb.ts";
import type { NodeProcess } from "./node-processes.ts";

const processes: readonly NodeProcess[] = [
  { pid: 11, program: "csi-sidecars", label: "csi-sidecars" },
  { pid: 12, program: "hostpathplugin", label: "hostpathplugin" },
];

/** What is done when these random numbers are drawn one after the other. */
async function doneWith(drawn: readonly number[], changes: Partial<Disturbed> = {}): Promise<string[]> {
  const done: string[] = [];
  const numbers = [...drawn];
  await disturbOnce({
    processes: () => processes,
    kill: (pid) => done.push(`kill ${pid}`),
    restartApiServer: async () => void done.push("restart"),
    random: () => numbers.shift() ?? 0,
    isQuiet: () => false,
    report: (what) => done.push(what),
    reportFailure: (what) => done.push(`not ${what}`),
    signal: AbortSignal.abort(),
    ...changes,
  });
  return done;
}

test("a program is killed, or the API server restarted", async () => {
  expect(await doneWith([0.5, 0])).toEqual(["kill 11", "csi-sidecars"]);
  expect(await doneWith([0.5, 0.99])).toEqual(["kill 12", "hostpathplugin"]);
  expect(await doneWith([0.1])).toEqual(["restart", "kube-apiserver"]);
});

test("nothing is killed while nothing runs", async () => {
  expect(await doneWith([0.5, 0], { processes: () => [] })).toEqual([]);
});

test("a program that ended by itself is told, and no reason to stop", async () => {
  const kill = () => {
    throw new Error("ESRCH: no such process");
  };
  expect(await doneWith([0.5, 0], { kill })).toEqual(["not csi-sidecars: ESRCH: no such process"]);
});

test("an API server that does not come back is started again", async () => {
  let attempts = 0;
  const restartApiServer = async () => {
    if (++attempts < 3) throw new Error("port in use");
  };
  expect(await doneWith([0.1], { restartApiServer })).toEqual([
    "not kube-apiserver: port in use",
    "not kube-apiserver: port in use",
    "kube-apiserver",
  ]);
});
