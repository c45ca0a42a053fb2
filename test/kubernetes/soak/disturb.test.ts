import { expect, test } from "bun:test";
import { disturbOnce } from "./disturb.ts";
import type { NodeProcess } from "./node-processes.ts";

const processes: readonly NodeProcess[] = [
  { pid: 11, program: "csi-sidecars", label: "csi-sidecars" },
  { pid: 12, program: "hostpathplugin", label: "hostpathplugin" },
];

/** What is done when these random numbers are drawn one after the other. */
async function doneWith(drawn: readonly number[], running = processes): Promise<string[]> {
  const done: string[] = [];
  const numbers = [...drawn];
  await disturbOnce({
    processes: () => running,
    kill: (pid) => done.push(`kill ${pid}`),
    restartApiServer: async () => void done.push("restart"),
    random: () => numbers.shift() ?? 0,
    report: (what) => done.push(what),
    signal: AbortSignal.abort(),
  });
  return done;
}

test("a program is killed, or the API server restarted", async () => {
  expect(await doneWith([0.5, 0])).toEqual(["csi-sidecars", "kill 11"]);
  expect(await doneWith([0.5, 0.99])).toEqual(["hostpathplugin", "kill 12"]);
  expect(await doneWith([0.1])).toEqual(["kube-apiserver", "restart"]);
});

test("nothing is killed while nothing runs", async () => {
  expect(await doneWith([0.5, 0], [])).toEqual([]);
});
