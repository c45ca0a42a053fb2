import type { Options } from "../options.ts";
import { Refusal } from "../refusal.ts";
import type { ClusterShape } from "./note.ts";

type Asked = Pick<Options, "real" | "nodes" | "zones" | "state" | "driver">;

/** The cluster that is asked for: what is not said is as in the kept one; what is said otherwise is refused, for it cannot change. */
export function settleShape(asked: Asked, kept?: ClusterShape): Omit<ClusterShape, "ownDriver"> {
  const fresh = { nodes: asked.driver === undefined ? Math.max(2, asked.zones ?? 0) : 1, zones: 0 };
  if (!kept) return { real: asked.real, nodes: asked.nodes ?? fresh.nodes, zones: asked.zones ?? fresh.zones };
  const refuse = (is: string, remedy: string) => {
    throw new Refusal(`--state: the cluster in ${asked.state} ${is}: ${remedy}, or take another folder`);
  };
  if (kept.real && !asked.real) refuse("is a real one", "give --real");
  if (!kept.real && asked.real) refuse("is an embedded one", "leave --real away");
  if (kept.ownDriver !== undefined && asked.driver === undefined) refuse(`is for the driver ${kept.ownDriver}`, "give --driver");
  if (kept.ownDriver === undefined && asked.driver !== undefined) refuse("is for the hostpath driver", "leave --driver away");
  if (asked.nodes !== undefined && asked.nodes !== kept.nodes) refuse(`has ${kept.nodes} nodes`, "leave --nodes away");
  if (asked.zones !== undefined && asked.zones !== kept.zones) refuse(`has ${kept.zones || "no"} zones`, "leave --topology away");
  return kept;
}
