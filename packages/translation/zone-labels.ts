/** The labels in which nodes and volumes say where they are. */
export const zoneLabel = "topology.kubernetes.io/zone";
export const oldZoneLabel = "failure-domain.beta.kubernetes.io/zone";
export const regionLabel = "topology.kubernetes.io/region";
