import type { World } from "./objects/world.ts";
import type { Watches } from "./watches.ts";

export class CustomKinds {
  constructor(readonly_world: World, watches: Watches) {
    void readonly_world;
    void watches;
  }
  follow(): void {}
}
