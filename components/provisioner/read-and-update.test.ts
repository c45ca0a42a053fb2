import { describe, expect, test } from "bun:test";
import { type Client, type KubeObject, PersistentVolumeClaim, StatusError } from "@csi-sidecars/kube";
import { readAndUpdate, withFinalizer, withoutFinalizer } from "./read-and-update.ts";

const holding = (...finalizers: string[]): KubeObject => ({ metadata: { name: "data", finalizers } });

describe("finalizers", () => {
  test.each<[string, readonly string[] | undefined, readonly string[] | undefined]>([
    ["the first", undefined, ["ours"]],
    ["one more, at the end", ["b", "a"], ["b", "a", "ours"]],
    ["there already", ["ours", "a"], undefined],
  ])("put on: %s", (_, before, after) => {
    const object: KubeObject = { metadata: { name: "data", ...(before && { finalizers: [...before] }) } };
    expect(withFinalizer(object, "ours")?.metadata?.finalizers).toEqual(after as never);
    expect(object.metadata?.finalizers).toEqual(before as never);
  });

  test.each<[string, readonly string[], readonly string[] | undefined]>([
    ["the last", ["ours"], []],
    ["in the middle, the order stays", ["b", "ours", "a"], ["b", "a"]],
    ["not there", ["a"], undefined],
  ])("taken off: %s", (_, before, after) => {
    const object = holding(...before);
    expect(withoutFinalizer(object, "ours")?.metadata?.finalizers).toEqual(after as never);
    expect(object.metadata?.finalizers).toEqual([...before]);
  });
});

describe("writing what was read", () => {
  /** A server on which somebody else is faster so many times. */
  function server(conflicts: number, code = 409) {
    let left = conflicts;
    const asked: string[] = [];
    const client = {
      async get() {
        asked.push("get");
        return holding(`others-${conflicts - left}`);
      },
      async update(_: unknown, object: KubeObject) {
        asked.push("update");
        if (left-- > 0) throw new StatusError({ code, reason: code === 409 ? "Conflict" : "Forbidden", message: "no" });
        return object;
      },
    } as Partial<Client> as Client;
    const write = () =>
      readAndUpdate(client, PersistentVolumeClaim, { name: "data" }, (fresh) => withFinalizer(fresh, "ours"), {}).then(
        ({ metadata }) => metadata?.finalizers,
      );
    return { asked, write };
  }

  test("somebody was faster: what they wrote stays", async () => {
    const { asked, write } = server(2);
    expect(await write()).toEqual(["others-2", "ours"]);
    expect(asked).toEqual(["get", "update", "get", "update", "get", "update"]);
  });

  test.each<[string, number, number, number]>([
    ["somebody is always faster: left to the back-off", 99, 409, 4],
    ["any other refusal: not tried twice", 1, 403, 1],
  ])("%s", async (_, refusals, code, updates) => {
    const { asked, write } = server(refusals, code);
    await expect(write()).rejects.toThrow("no");
    expect(asked.filter((each) => each === "update")).toHaveLength(updates);
  });
});
