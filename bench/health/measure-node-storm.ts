import { type ControllerSubject, withFlags } from "../shared/controller-subject.ts";
import { startSubject } from "../shared/started-subject.ts";
import { freeLeases } from "../shared/world.ts";
import { openWindow, untilQuiet, type WindowCost } from "./window.ts";
import { createNodes, deleteEvents, deleteNodes, type HealthWorld } from "./world.ts";

const quietMs = 6_000;

/** Deletes nodes whose pods use claims, all at once; measures until the subject has nothing more to say. */
export async function measureNodeStorm(world: HealthWorld, subject: ControllerSubject, nodes: number): Promise<WindowCost> {
  await freeLeases(world);
  await deleteEvents(world);
  await createNodes(world, nodes);
  await using started = await startSubject(world, withFlags(subject, "--enable-node-watcher"), "default");
  const endWindow = await openWindow(world, started);
  await deleteNodes(world, nodes);
  await untilQuiet(world, started, quietMs);
  return await endWindow();
}
