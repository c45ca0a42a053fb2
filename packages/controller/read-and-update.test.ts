import { describe, expect, test } from "bun:test";
import { type Client, type KubeObject, PersistentVolumeClaim, StatusError } from "@csi-sidecars/kube";
import { withFinalizer } from "./finalizers.ts";
import { readAndUpdate } from "./read-and-update.ts";

const holding = (...finalizers: string[]): KubeObject => ({ metadata: { name: "data", finalizers } });

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
