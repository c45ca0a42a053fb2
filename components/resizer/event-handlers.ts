import type { Handler } from "@csi-sidecars/kube";
import { claimKey } from "./claim-key.ts";
import type { Claim, Volume } from "./fields.ts";
import type { ModifyContext } from "./modify/modify-context.ts";
import { classHandler, enqueueModify, modifyMayBeDue } from "./modify/modify-events.ts";
import type { ResizeContext } from "./resize/resize-context.ts";
import { enqueueResize, resizeMayBeDue } from "./resize/resize-events.ts";
import type { ResizerContext } from "./resizer-context.ts";

/** The control loops that run; a driver may need only one of them. */
export interface Loops {
  readonly resize: ResizeContext | undefined;
  readonly modify: ModifyContext | undefined;
}

/** Turns watch events into queue keys. What needs no work costs nothing, and our own writes are no reason to work. */
export function addEventHandlers(c: ResizerContext, loops: Loops, resyncMs: number): void {
  c.caches.claims.addHandler(claimHandler(c, loops), { resyncMs, name: "resizer" });
  c.caches.volumes.addHandler(volumeHandler(c, loops), { name: "resizer" });
  loops.modify?.classes.addHandler(classHandler(loops.modify), { name: "resizer" });
}

function claimHandler(c: ResizerContext, { resize, modify }: Loops): Handler<Claim> {
  return {
    onAdd(claim, { initial }) {
      if (resize) enqueueResize(resize, claim, initial ? "low" : "normal");
      if (modify) enqueueModify(modify, claim, initial ? "low" : "normal");
    },
    onUpdate(old, claim) {
      const isResync = old === claim;
      const priority = isResync ? "low" : "normal";
      const consider = () => {
        if (resize && (isResync || resizeMayBeDue(resize, old, claim))) enqueueResize(resize, claim, priority);
        if (modify && modifyMayBeDue(modify, old, claim)) enqueueModify(modify, claim, priority);
      };
      if (isResync) consider();
      else c.claims.observe(claim, consider);
    },
    onDelete(claim) {
      c.claims.deleted(claim);
      resize?.forget(claim);
      modify?.forget(claimKey(claim));
    },
  };
}

/** A claim may be seen before its volume: it is considered when the volume appears. */
function volumeHandler(c: ResizerContext, { resize, modify }: Loops): Handler<Volume> {
  return {
    onAdd({ spec }, { initial }) {
      const claim = c.claims.get(`${spec?.claimRef?.namespace}/${spec?.claimRef?.name}`);
      if (initial || !claim) return;
      if (resize) enqueueResize(resize, claim);
      if (modify) enqueueModify(modify, claim);
    },
    onUpdate(_old, volume) {
      c.volumes.observe(volume, () => {});
    },
    onDelete(volume) {
      c.volumes.deleted(volume);
    },
  };
}
