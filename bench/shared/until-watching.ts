import { setTimeout as sleep } from "node:timers/promises";
import type { Asked } from "./asked.ts";
import type { User } from "./counting-server.ts";
import type { Sidecar } from "./sidecar.ts";
import type { World } from "./world.ts";

const settleMs = 2_000;

/** Waits until a subject follows attachments: it leads, and is not starting any more. Gives what it has asked for so far. */
export async function untilWatching({ server }: World, user: User, sidecar: Sidecar): Promise<readonly Asked[]> {
  for (;;) {
    // Asking the server what it was asked is not cheap: the subject is to start undisturbed.
    await sleep(1_000);
    sidecar.check();
    const requests = await server.requests(user);
    if (requests.some(({ what }) => what === "watch volumeattachments")) {
      await sleep(settleMs);
      return requests;
    }
  }
}
