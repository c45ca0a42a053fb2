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
      else c.claims.observe(old, claim, consider);
    },
    onDelete(claim) {
      c.claims.deleted(claim);
      const key = claimKey(claim);
      resize?.forget(key);
      modify?.forget(key);
    },
  };
}

/** A claim may be seen bound before its volume is: it is considered when the volume appears, or is bound to it. */
function volumeHandler(c: ResizerContext, { resize, modify }: Loops): Handler<Volume> {
  const considerClaim = ({ spec }: Volume) => {
    const claim = c.claims.get(`${spec?.claimRef?.namespace}/${spec?.claimRef?.name}`);
    if (!claim) return;
    if (resize) enqueueResize(resize, claim);
    if (modify) enqueueModify(modify, claim);
  };
  return {
    onAdd(volume, { initial }) {
      if (!initial) considerClaim(volume);
    },
    onUpdate(old, volume) {
      const isBoundAnew = old.spec?.claimRef?.uid !== volume.spec?.claimRef?.uid;
      c.volumes.observe(old, volume, () => {
        if (isBoundAnew) considerClaim(volume);
      });
    },
    onDelete(volume) {
      c.volumes.deleted(volume);
    },
  };
}
