/** What to do about errors that the sidecars find before they ask the driver; their own words are plain enough. */
const remedies: readonly (readonly [RegExp, string])[] = [
  [
    /(getting|load) secret .*(forbidden|cannot get)/i,
    "give the driver's service account the right to get that secret (csi-sidecars rbac prints the rules)",
  ],
  [/(getting|load) secret /i, "create that secret, or correct the class parameters that name it"],
  [
    /no topology key found|topology labels from selected node|error generating accessibility requirements/i,
    "look whether the driver's node pod runs on that node and its CSINode lists the driver with its topology keys",
  ],
  [
    /is not in allowed topologies|is not in requisite/i,
    "let the pod run where the class allows volumes (allowedTopologies), or change the class",
  ],
  [/claim Selector is not supported/i, "remove spec.selector from the claim: volumes that are made on demand have no labels to select"],
  [/CSI driver does not support|capability is not reported/i, "use another driver or class, or do without"],
  [/in-use|offline expansion/i, "stop the pods that use the claim until it has grown"],
  [/StorageClass|parameter/i, "correct the parameters of the class; they cannot be changed in place: make the class anew"],
];

export function sidecarRemedy(message: string): string {
  return remedies.find(([pattern]) => pattern.test(message))?.[1] ?? "do what the message asks for; it is tried again";
}
