import { describe, expect, test } from "bun:test";
import { PersistentVolume } from "@csi-sidecars/kube";
import { fake } from "../../manager/testing/components.ts";
import { startWorld } from "../../manager/testing/world.ts";

const listening = "--http-endpoint=127.0.0.1:0";

describe("--enable-ui", () => {
  test("serves a page without anything from elsewhere, and what it shows", async () => {
    await using world = await startWorld({ cluster: true });
    await world.driver();
    const component = fake("a", { kube: true });
    const program = world.run([component], [listening, "--enable-ui"]);
    await program.until("it runs", () => component.contexts.length === 1);
    const { kube, driver } = component.contexts[0]!;
    const csi = { driver: "driver.example.com", volumeHandle: "v" };
    const claimRef = { namespace: "default", name: "data", uid: "u" };
    await kube.create(PersistentVolume, {
      metadata: { name: "pvc-u" },
      spec: { csi, claimRef, capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] },
    });
    await driver.client.controller.deleteVolume({ volumeId: "v", secrets: { password: "hunter2" } });
    const request = { name: "pvc-2", secrets: { password: "hunter2" } };
    await driver.client.controller.createVolume(request, { claim: "team/new" }).catch(() => undefined);

    const [status, page] = await program.get("/ui");
    expect(status).toBe(200);
    expect(page).toStartWith("<!doctype html>");
    expect(page).not.toMatch(/https?:|innerHTML/);
    const [, text] = await program.get("/ui/activity.json");
    expect(text).not.toContain("hunter2");
    expect(JSON.parse(text)).toMatchObject({
      ...{ program: "csi-sidecars", version: "v1.2.3", calls: [], leases: [] },
      driver: { name: "driver.example.com", address: world.socket },
      controllers: [{ name: "a", detail: "running" }],
      volumes: [
        { name: "pvc-2", claim: "team/new", steps: [{ what: "CreateVolume", calls: 1, error: expect.stringContaining("Unimplemented") }] },
        { id: "v", volume: "pvc-u", claim: "default/data", steps: [{ what: "saved" }, { what: "DeleteVolume", calls: 1 }] },
      ],
    });
  });

  test("changes nothing: other methods are refused", async () => {
    await using world = await startWorld();
    await world.driver();
    const component = fake("a");
    const program = world.run([component], [listening, "--enable-ui"]);
    await program.until("it runs", () => component.contexts.length === 1);
    const address = /address="([^"]+)"/.exec(program.stderr())?.[1];
    const statuses = ["POST", "PUT", "DELETE"].map(async (method) => (await fetch(`http://${address}/ui`, { method })).status);
    expect(await Promise.all(statuses)).toEqual([405, 405, 405]);
  });

  test("is off by default", async () => {
    await using world = await startWorld();
    await world.driver();
    const component = fake("a");
    const program = world.run([component], [listening]);
    await program.until("it runs", () => component.contexts.length === 1);
    expect((await program.get("/ui"))[0]).toBe(404);
    expect((await program.get("/ui/activity.json"))[0]).toBe(404);
  });

  test("needs an address to be served at", async () => {
    await using world = await startWorld();
    const program = world.run([fake("a")], ["--enable-ui"]);
    expect(await program.ended()).toBe(1);
    expect(program.stderr()).toContain("--enable-ui needs --http-endpoint");
  });
});
