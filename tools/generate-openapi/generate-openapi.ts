// `npm run generate:openapi`: asks a real kube-apiserver for the schemas of the kinds that the embedded one serves.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { reviewKinds } from "../../packages/testcluster/apiserver/rest/reviews.ts";
import { builtInKinds } from "../../packages/testcluster/kinds/built-in.ts";
import { startControlPlane } from "../../packages/testcluster/real/control-plane.ts";
import { keepSchemas, type PublishedDocument, schemasText } from "./keep-schemas.ts";

const file = join(import.meta.dirname, "../../packages/testcluster/kinds/gen/schemas.json");
const kinds = [...builtInKinds, ...reviewKinds];
const roots = new Set(kinds.map(({ group, version }) => (group === "" ? `api/${version}` : `apis/${group}/${version}`)));

await using plane = await startControlPlane({ env: process.env, users: [], storageControllers: false });
const documents: PublishedDocument[] = [];
for (const root of roots) {
  const answer = await fetch(`${plane.url}/openapi/v3/${root}`, {
    headers: { Authorization: `Bearer ${plane.adminToken}`, Accept: "application/json" },
    tls: { ca: plane.caPem },
  });
  if (!answer.ok) throw new Error(`/openapi/v3/${root}: ${answer.status} ${await answer.text()}`);
  documents.push(JSON.parse(await answer.text()));
}
const schemas = keepSchemas(documents, kinds);
writeFileSync(file, schemasText(schemas));
console.log(`${Object.keys(schemas).length} schemas of ${kinds.length} kinds in ${file}`);
