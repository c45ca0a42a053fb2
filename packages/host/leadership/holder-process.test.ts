import { expect, test } from "bun:test";
import { holderProcess, type ProcessTable } from "./holder-process.ts";

const uid = "0b0e0f6e-7a0c-4a36-9f6e-2a2b0c4d5e6f";
const termination = (pod: string, container: string) =>
  `612 590 8:1 /var/lib/kubelet/pods/${pod}/containers/${container}/1a2b3c4d /dev/termination-log rw,relatime - ext4 /dev/sda1 rw\n`;
const otherMounts =
  "590 500 0:52 / / rw - overlay overlay rw\n" +
  `613 590 8:1 /var/lib/kubelet/pods/${uid}/etc-hosts /etc/hosts rw - ext4 /dev/sda1 rw\n` +
  `614 590 8:1 /var/lib/kubelet/pods/other/volume-subpaths/containers/x/y /data rw - ext4 /dev/sda1 rw\n`;
const stat = (start: number, state = "S") => `1 (csi (side) cars) ${state} 0 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 8 0 ${start} 1000 200`;

interface Place {
  readonly boot?: string;
  readonly pidns?: number;
  readonly pod?: string;
  readonly container?: string;
  readonly pid?: number;
  /** The process table of its namespace: start times, or `hidden`. */
  readonly processes?: Readonly<Record<number, number | "zombie" | "hidden">>;
}

function at({ boot = "b1", pidns = 4026532001, pod = uid, container = "sidecars", pid = 1, processes = { 1: 500 } }: Place): ProcessTable {
  const statOf = (of: number) => {
    const start = processes[of];
    return start === undefined || start === "hidden" ? undefined : start === "zombie" ? stat(500, "Z") : stat(start);
  };
  return {
    pid,
    read: (path) =>
      path === "/proc/self/mountinfo"
        ? otherMounts + (pod ? termination(pod, container) : "")
        : path.endsWith("boot_id")
          ? `${boot}\n`
          : statOf(Number(path.split("/")[2])),
    readLink: () => `pid:[${pidns}]`,
    exists: (of) => processes[of] !== undefined,
  };
}

test("the description names container, boot, namespace, process and start", () => {
  expect(holderProcess(at({})).description).toBe(`container=${uid}/sidecars boot=b1 pidns=4026532001 pid=1 start=500`);
  expect(holderProcess({ pid: 9, read: () => undefined, readLink: () => undefined, exists: () => true }).description).toBe("pid=9");
});

const otherPod = "11111111-7a0c-4a36-9f6e-2a2b0c4d5e6f";
const cases: [name: string, before: Place, now: Place, ended: boolean][] = [
  ["the same container, restarted", { pidns: 1 }, { pidns: 2 }, true],
  ["the same container, restarted, where the number of its namespace is used again", {}, { processes: { 1: 900 } }, true],
  ["the same container after a reboot", { boot: "b0" }, {}, true],
  ["another container of the pod", { pidns: 1, container: "other" }, { pidns: 2 }, false],
  ["another pod on the same node", { pidns: 1, pod: otherPod }, { pidns: 2 }, false],
  ["another pod on another node", { boot: "b0", pod: otherPod }, {}, false],
  ["no pod, the process lives", { pod: "", pid: 7 }, { pod: "", pid: 8, processes: { 1: 500, 7: 500, 8: 900 } }, false],
  ["no pod, the process is gone", { pod: "", pid: 7 }, { pod: "", pid: 8, processes: { 8: 900 } }, true],
  ["no pod, its id belongs to another process", { pod: "", pid: 7 }, { pod: "", pid: 8, processes: { 7: 700, 8: 900 } }, true],
  ["no pod, nobody has waited for it", { pod: "", pid: 7 }, { pod: "", pid: 8, processes: { 7: "zombie", 8: 900 } }, true],
  ["no pod, processes of others are hidden", { pod: "", pid: 7 }, { pod: "", pid: 8, processes: { 7: "hidden", 8: 900 } }, false],
  ["no pod, after a reboot", { pod: "", boot: "b0" }, { pod: "" }, false],
  ["started by hand in the same container", {}, { pid: 30, processes: { 1: 500, 30: 900 } }, false],
  ["two processes in one", {}, {}, false],
];
test.each(cases)("%s", (_, before, now, ended) => {
  const processes = { [before.pid ?? 1]: 500 };
  const { description } = holderProcess(at({ processes, ...before }));
  expect(holderProcess(at(now)).hasEnded(description)).toBe(ended);
});

test.each(["", "garbage", "boot=b1 pidns=4026532001", "pid=1 start=500", "container="])("%p proves nothing", (description) => {
  expect(holderProcess(at({})).hasEnded(description)).toBe(false);
});

test("the real process table knows this process and no process that cannot be", () => {
  const { description, hasEnded } = holderProcess();
  expect(hasEnded(description)).toBe(false);
  if (process.platform === "linux") expect(hasEnded(description.replace(/ start=\d+/, " start=1"))).toBe(true);
});
